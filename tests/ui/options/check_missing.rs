use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(check = check_trip)]
struct Trip {
    to: String,
}

fn main() {}
