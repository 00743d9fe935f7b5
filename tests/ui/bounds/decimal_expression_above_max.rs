use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 0.5, default = 1.0 / 2.0 + 0.25)]
    value: f64,
}

fn main() {}
