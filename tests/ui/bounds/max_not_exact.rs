use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 9007199254740992)]
    value: u64,
}

fn main() {}
