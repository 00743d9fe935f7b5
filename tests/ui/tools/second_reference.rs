use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(_cx: &Cx, text: &String) -> String {
    text.clone()
}

fn main() {}
