use mcp_elicit::prelude::*;

/// Remove everything.
#[tool(only_if)]
async fn wipe() {}

fn main() {
    let _ = toolset![wipe];
}
