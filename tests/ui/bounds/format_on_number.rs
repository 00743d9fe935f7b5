use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "date")]
    value: u8,
}

fn main() {}
