use mcp_elicit::prelude::*;

/// Add two numbers.
#[tool]
async fn add(a: i32, #[arg(rename = "a")] b: i32) -> String {
    (a + b).to_string()
}

fn main() {}
