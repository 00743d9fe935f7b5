use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(examples = ["a"])]
    value: String,
}

fn main() {}
