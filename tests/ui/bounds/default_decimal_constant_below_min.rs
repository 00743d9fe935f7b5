use mcp_elicit::prelude::*;

const RATE: f64 = 0.5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 1, default = RATE)]
    value: f64,
}

fn main() {}
