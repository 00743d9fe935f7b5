use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    repo: Vec<Select>,
}

fn main() {}
