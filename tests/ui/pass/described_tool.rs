use mcp_elicit::prelude::*;

/// Says the text again.
#[tool]
async fn echo(
    /// What to say
    text: String,
) -> String {
    text
}

pub fn main() {}
