use mcp_elicit::prelude::*;

struct Address {
    #[allow(dead_code)]
    street: String,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    address: Address,
}

fn main() {}
