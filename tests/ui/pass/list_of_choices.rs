use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Stop {
    Oslo,
    Rome,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    stops: Vec<Stop>,
}

pub fn main() {}
