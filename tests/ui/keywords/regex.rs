use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(regex = "a")]
    value: String,
}

fn main() {}
