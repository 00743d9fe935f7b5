use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn écho(text: String) -> String {
    text
}

fn main() {}
