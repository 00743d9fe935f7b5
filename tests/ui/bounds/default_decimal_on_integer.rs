use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = 1.5)]
    value: u8,
}

fn main() {}
