use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 5, max = 4)]
    value: u8,
}

fn main() {}
