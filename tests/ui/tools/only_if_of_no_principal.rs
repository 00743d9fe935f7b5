use mcp_elicit::prelude::*;

fn is_admin(name: &str) -> bool {
    name == "ada"
}

/// Remove everything.
#[tool(only_if = is_admin)]
async fn wipe() {}

fn main() {
    let _ = toolset![wipe];
}
