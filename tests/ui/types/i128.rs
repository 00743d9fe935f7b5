use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    number: i128,
}

fn main() {}
