use mcp_elicit::prelude::*;

#[tool]
struct Shop;

fn main() {}
