use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    tags: Option<Vec<String>>,
}

fn main() {}
