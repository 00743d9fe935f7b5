use mcp_elicit::prelude::*;

/// Run a query.
#[tool]
async fn query(#[arg(header = "Regions")] regions: Vec<String>) -> String {
    regions.join(" ")
}

fn main() {
    let _ = toolset![query];
}
