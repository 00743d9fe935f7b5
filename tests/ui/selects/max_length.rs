use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[elicit(max_length = 9)]
    #[select]
    repo: Vec<Select>,
}

fn main() {}
