use mcp_elicit::prelude::*;

const MOST: u8 = 3;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = MOST)]
    value: f64,
}

fn main() {}
