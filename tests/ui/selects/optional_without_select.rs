use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    repo: Option<Select<u64>>,
}

fn main() {}
