use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
union Trip {
    to: u8,
}

fn main() {}
