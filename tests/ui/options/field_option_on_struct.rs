use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(min = 1)]
struct Trip {
    to: String,
}

fn main() {}
