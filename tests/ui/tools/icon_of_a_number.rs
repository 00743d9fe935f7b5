use mcp_elicit::prelude::*;

/// Remove everything.
#[tool(icon = 7)]
async fn wipe() {}

fn main() {
    let _ = toolset![wipe];
}
