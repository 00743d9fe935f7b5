use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(gt = 0)]
    value: i32,
}

fn main() {}
