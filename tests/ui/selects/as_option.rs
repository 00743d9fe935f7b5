use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[elicit(select)]
    repo: Select,
}

fn main() {}
