use mcp_elicit::prelude::*;

const LEAST: u8 = 5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = LEAST, max = 4)]
    value: u8,
}

fn main() {}
