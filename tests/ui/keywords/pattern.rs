use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(pattern = "^[a-z]+$")]
    value: String,
}

fn main() {}
