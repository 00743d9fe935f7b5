use mcp_elicit::prelude::*;

/// Give the text back.
#[tool(rev = 1, rev = 2)]
async fn echo(text: String) -> String {
    text
}

fn main() {}
