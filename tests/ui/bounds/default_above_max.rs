use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 100, default = 200)]
    value: u16,
}

fn main() {}
