use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo<T: Into<String>>(text: String, _more: T) -> String {
    text
}

fn main() {}
