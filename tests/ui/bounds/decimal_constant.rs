use mcp_elicit::prelude::*;

const MOST: f64 = 3.5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = MOST)]
    value: f64,
}

fn main() {}
