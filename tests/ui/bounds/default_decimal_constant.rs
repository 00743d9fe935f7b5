use mcp_elicit::prelude::*;

const RATE: f64 = 0.5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = RATE)]
    value: f64,
}

fn main() {}
