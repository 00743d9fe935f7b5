use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    cvv: u16,
}

fn main() {}
