use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Repo {
    Core,
    Web,
}

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: Option<Repo>,
}

fn main() {}
