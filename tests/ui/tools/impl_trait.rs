use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(text: impl Into<String>) -> String {
    text.into()
}

fn main() {}
