use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    tags: Vec<String>,
}

fn main() {}
