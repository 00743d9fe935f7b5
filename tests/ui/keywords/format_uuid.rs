use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "uuid")]
    value: String,
}

fn main() {}
