use mcp_elicit::prelude::*;

/// Run a query.
#[tool]
async fn query(#[arg(header = "my region")] region: String, #[arg(header = "")] zone: String) -> String {
    format!("{region} {zone}")
}

fn main() {
    let _ = toolset![query];
}
