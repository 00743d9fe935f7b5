use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
fn echo(text: String) -> String {
    text
}

fn main() {}
