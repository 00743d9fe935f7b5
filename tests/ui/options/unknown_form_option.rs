use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(titel = "Trip")]
struct Trip {
    to: String,
}

fn main() {}
