use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select(max = 3)]
    repo: Select,
}

fn main() {}
