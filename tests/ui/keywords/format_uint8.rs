use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "uint8")]
    value: u8,
}

fn main() {}
