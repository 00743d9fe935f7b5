use mcp_elicit::prelude::*;

struct Stop;

/// Where to?
#[derive(Elicit)]
struct Trip {
    stops: Vec<Stop>,
}

fn main() {}
