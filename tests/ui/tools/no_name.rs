use mcp_elicit::prelude::*;

/// Add two numbers.
#[tool]
async fn add(_: i32) {}

fn main() {}
