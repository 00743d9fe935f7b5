use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip<const N: usize> {
    to: String,
}

fn main() {}
