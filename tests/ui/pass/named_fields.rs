use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
}

pub fn main() {}
