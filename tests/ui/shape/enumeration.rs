use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
enum Trip {
    Oslo,
    Rome,
}

fn main() {}
