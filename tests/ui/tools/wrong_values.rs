use mcp_elicit::prelude::*;

/// Give the text back.
#[tool(name = 3, read_only = "yes", asks = Account, rev = -1, single_use = true)]
async fn echo(text: String) -> String {
    text
}

fn main() {}
