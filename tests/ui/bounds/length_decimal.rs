use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 1.5)]
    value: String,
}

fn main() {}
