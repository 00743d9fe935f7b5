use mcp_elicit::prelude::*;

struct Address;

/// Where to?
#[derive(Elicit)]
struct Trip {
    address: Option<Address>,
}

fn main() {}
