use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: String,
}

fn main() {}
