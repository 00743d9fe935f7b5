use mcp_elicit::prelude::*;

/// Greet somebody.
#[prompt]
async fn greet(#[arg(header = "Name")] name: String) -> String {
    name
}

fn main() {
    let _ = toolset![greet];
}
