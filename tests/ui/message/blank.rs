use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(message = "  ")]
struct Trip {
    to: String,
}

fn main() {}
