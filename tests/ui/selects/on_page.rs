use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/route")]
struct Route {
    #[select]
    repo: Select,
}

fn main() {}
