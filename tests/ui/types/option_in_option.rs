use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    age: Option<Option<u8>>,
}

fn main() {}
