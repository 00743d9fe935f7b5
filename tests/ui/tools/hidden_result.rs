use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(text: String) -> impl Into<String> {
    text
}

fn main() {}
