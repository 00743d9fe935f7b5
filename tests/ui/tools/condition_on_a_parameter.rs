use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo(text: String, #[cfg(unix)] _more: u8) -> String {
    text
}

fn main() {}
