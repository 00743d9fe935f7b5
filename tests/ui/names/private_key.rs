use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    private_key: String,
}

fn main() {}
