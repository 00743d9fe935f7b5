use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 0.5, default = 0.25)]
    value: f64,
}

fn main() {}
