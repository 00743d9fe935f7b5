use mcp_elicit::prelude::*;

const SUM: f64 = 0.1 + 0.2;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = SUM)]
    value: f64,
}

fn main() {}
