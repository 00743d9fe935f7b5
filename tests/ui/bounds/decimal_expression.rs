use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 1.0 / 3.0)]
    value: f64,
}

fn main() {}
