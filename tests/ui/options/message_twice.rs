use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(message = "a", message = "b")]
struct Trip {
    to: String,
}

fn main() {}
