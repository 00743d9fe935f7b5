use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min_items = 1)]
    value: String,
}

fn main() {}
