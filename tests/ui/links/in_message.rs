use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(message = "See https://example.com")]
struct Trip {
    to: String,
}

fn main() {}
