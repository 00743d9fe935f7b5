use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(text: &str) -> String {
    text.to_owned()
}

fn main() {}
