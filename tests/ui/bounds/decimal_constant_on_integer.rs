use mcp_elicit::prelude::*;

const HALF: f64 = 0.5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = HALF)]
    value: u8,
}

fn main() {}
