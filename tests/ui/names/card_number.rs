use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    card_number: u64,
}

fn main() {}
