use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 0.5)]
    value: u8,
}

fn main() {}
