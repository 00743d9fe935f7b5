use mcp_elicit::prelude::*;

#[tool(description = " ")]
async fn echo(text: String) -> String {
    text
}

fn main() {}
