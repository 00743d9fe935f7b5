use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(_cx: &Cx) -> &str {
    "text"
}

fn main() {}
