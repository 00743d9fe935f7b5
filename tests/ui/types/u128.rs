use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    number: u128,
}

fn main() {}
