use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 256)]
    value: u8,
}

fn main() {}
