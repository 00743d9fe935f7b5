use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    ages: Vec<u8>,
}

fn main() {}
