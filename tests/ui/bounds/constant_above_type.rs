use mcp_elicit::prelude::*;

const MOST: u32 = 300;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = MOST)]
    value: u8,
}

fn main() {}
