use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    #[elicit(min_items = 1)]
    repo: Select,
}

fn main() {}
