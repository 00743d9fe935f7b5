use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    letter: char,
}

fn main() {}
