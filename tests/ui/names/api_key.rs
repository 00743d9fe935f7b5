use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    api_key: String,
}

fn main() {}
