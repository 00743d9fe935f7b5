use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(exclusive_min = 0)]
    value: u8,
}

fn main() {}
