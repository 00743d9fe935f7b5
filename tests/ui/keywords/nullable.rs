use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(nullable)]
    value: Option<u8>,
}

fn main() {}
