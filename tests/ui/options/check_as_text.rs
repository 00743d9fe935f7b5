use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(check = "check")]
struct Trip {
    to: String,
}

fn main() {}
