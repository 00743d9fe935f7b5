use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(rename = "token")]
    value: String,
}

fn main() {}
