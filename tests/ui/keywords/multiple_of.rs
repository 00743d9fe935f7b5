use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(multiple_of = 5)]
    value: u8,
}

fn main() {}
