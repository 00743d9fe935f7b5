use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min_length = 5, max_length = 4)]
    value: String,
}

fn main() {}
