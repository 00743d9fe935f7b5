use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 1)]
    value: bool,
}

fn main() {}
