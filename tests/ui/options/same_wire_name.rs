use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
    #[elicit(rename = "to")]
    via: String,
}

fn main() {}
