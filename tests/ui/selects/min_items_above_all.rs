use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    #[elicit(min_items = 251)]
    repos: Vec<Select>,
}

fn main() {}
