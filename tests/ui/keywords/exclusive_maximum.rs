use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(exclusive_maximum = 0.5)]
    value: f64,
}

fn main() {}
