use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(key = "my trip")]
struct Trip {
    to: String,
}

fn main() {}
