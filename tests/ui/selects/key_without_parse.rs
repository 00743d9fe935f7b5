use mcp_elicit::prelude::*;

struct Id;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: Select<Id>,
}

fn main() {}
