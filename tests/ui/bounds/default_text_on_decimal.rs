use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = "1")]
    value: f64,
}

fn main() {}
