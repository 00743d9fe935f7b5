use mcp_elicit::prelude::*;

/// Add two numbers.
#[tool]
async fn add((a, b): (i32, i32)) -> String {
    (a + b).to_string()
}

fn main() {}
