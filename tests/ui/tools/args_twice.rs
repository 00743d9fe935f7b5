use mcp_elicit::prelude::*;

/// Plan a trip.
#[tool]
async fn plan(_a: Args<String>, _b: Args<String>) {}

fn main() {}
