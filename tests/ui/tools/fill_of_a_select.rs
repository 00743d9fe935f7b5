use mcp_elicit::prelude::*;

/// Where shall it go?
#[derive(Elicit)]
struct Route {
    #[select]
    repo: Select,
}

/// File an issue.
#[tool]
async fn file(route: Fill<Route>) -> String {
    route.0.repo.into_key()
}

fn main() {}
