use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip<T> {
    to: T,
}

fn main() {}
