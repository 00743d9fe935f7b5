use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    pin: u16,
}

fn main() {}
