use mcp_elicit::prelude::*;

/// Run a query.
#[tool]
async fn query(#[arg(header = "Limit")] limit: Option<f64>) -> String {
    format!("{limit:?}")
}

fn main() {
    let _ = toolset![query];
}
