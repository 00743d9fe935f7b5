use mcp_elicit::prelude::*;

/// Give the text back.
#[tool(titel = "Echo", readonly)]
async fn echo(#[arg(defualt = "x")] text: String) -> String {
    text
}

fn main() {}
