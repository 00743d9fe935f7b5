use mcp_elicit::prelude::*;

/// Give the text back.
#[tool(name = "echo it")]
async fn echo(text: String) -> String {
    text
}

fn main() {}
