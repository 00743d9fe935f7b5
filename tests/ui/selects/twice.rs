use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    #[elicit(title = "Where")]
    #[select]
    repo: Select,
}

fn main() {}
