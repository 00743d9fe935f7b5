use mcp_elicit::prelude::*;

/// Run a query.
#[tool]
async fn query(#[arg(header = "Tenant")] api_key: String) -> String {
    api_key
}

fn main() {
    let _ = toolset![query];
}
