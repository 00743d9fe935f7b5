use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(guarded = true)]
struct Trip {
    to: String,
}

fn main() {}
