use mcp_elicit::prelude::*;

fn check(_: &str) -> bool {
    true
}

/// Where to?
#[derive(Elicit)]
#[elicit(check = check)]
struct Trip {
    to: String,
}

fn main() {}
