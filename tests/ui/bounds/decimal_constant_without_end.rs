use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = f64::INFINITY)]
    value: f64,
}

fn main() {}
