use mcp_elicit::prelude::*;

struct Years(u8);

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = Years(18))]
    value: u8,
}

fn main() {}
