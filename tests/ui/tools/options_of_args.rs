use mcp_elicit::prelude::*;

/// Plan a trip.
#[tool]
async fn plan(#[arg(description = "All")] _all: Args<String>, #[arg(rename = "x")] _cx: &Cx) {}

fn main() {}
