use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    range: (u8, u8),
}

fn main() {}
