use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 1 max = 2)]
    to: u8,
}

fn main() {}
