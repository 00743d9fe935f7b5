use mcp_elicit::prelude::*;

const MOST: u128 = u128::MAX;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = MOST)]
    value: u64,
}

fn main() {}
