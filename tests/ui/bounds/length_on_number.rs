use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 3)]
    value: u16,
}

fn main() {}
