use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 4294967296)]
    value: String,
}

fn main() {}
