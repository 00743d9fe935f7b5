use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(cx: Cx) {
    drop(cx);
}

fn main() {}
