use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip<'a> {
    to: &'a str,
}

fn main() {}
