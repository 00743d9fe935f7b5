use mcp_elicit::prelude::*;

/// Run a query.
#[tool]
async fn query(#[arg(header = "Region")] region: String, #[arg(header = "REGION")] zone: String) -> String {
    format!("{region} {zone}")
}

fn main() {
    let _ = toolset![query];
}
