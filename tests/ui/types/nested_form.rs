use mcp_elicit::prelude::*;

/// Inner?
#[derive(Elicit)]
struct Inner {
    name: String,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    inner: Inner,
}

fn main() {}
