use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(rename = "")]
    to: String,
}

fn main() {}
