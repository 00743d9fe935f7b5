use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo<'a>(_cx: &'a Cx) -> Result<&'a str, CallError> {
    Ok("text")
}

fn main() {}
