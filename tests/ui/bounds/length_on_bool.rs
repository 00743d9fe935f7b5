use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min_length = 3)]
    value: bool,
}

fn main() {}
