use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    repo: Select,
}

fn main() {}
