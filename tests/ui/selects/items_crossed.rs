use mcp_elicit::prelude::*;

const MANY: usize = 3;

/// Where to?
#[derive(Elicit)]
struct Route {
    #[select]
    #[elicit(min_items = MANY, max_items = 2)]
    repos: Vec<Select<u8>>,
}

fn main() {}
