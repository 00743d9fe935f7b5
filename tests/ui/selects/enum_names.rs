use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[elicit(enum_names)]
    #[select]
    repo: Select,
}

fn main() {}
