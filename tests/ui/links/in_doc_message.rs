use mcp_elicit::prelude::*;

/// See http://example.com for more.
#[derive(Elicit)]
struct Trip {
    to: String,
}

fn main() {}
