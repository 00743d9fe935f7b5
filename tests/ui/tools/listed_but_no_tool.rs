use mcp_elicit::prelude::*;

async fn plain() {}

fn main() {
    let _ = toolset![plain];
}
