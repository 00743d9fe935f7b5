use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    pair: [u8; 2],
}

fn main() {}
