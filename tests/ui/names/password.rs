use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    password: String,
}

fn main() {}
