use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    #[elicit(title = "Where", default = "core")]
    repo: Select,
}

fn main() {}
