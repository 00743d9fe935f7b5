use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(fallback = "address")]
struct Trip {
    to: String,
}

fn main() {}
