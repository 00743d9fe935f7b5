use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    name: &'static str,
}

fn main() {}
