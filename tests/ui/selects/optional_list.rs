use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: Option<Vec<Select>>,
}

fn main() {}
