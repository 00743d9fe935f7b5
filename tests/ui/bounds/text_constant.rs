use mcp_elicit::prelude::*;

const MOST: &str = "3";

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = MOST)]
    value: u8,
}

fn main() {}
