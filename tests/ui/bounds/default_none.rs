use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = None)]
    value: Option<u8>,
}

fn main() {}
