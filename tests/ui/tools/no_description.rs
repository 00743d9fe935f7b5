use mcp_elicit::prelude::*;

#[tool]
async fn echo(text: String) -> String {
    text
}

fn main() {}
