use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    name: Box<str>,
}

fn main() {}
