use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async unsafe fn echo(text: String) -> String {
    text
}

fn main() {}
