use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    repo: String,
}

fn with<T: mcp_elicit::declare::SelectMode>() {}

fn main() {
    with::<Route>();
}
