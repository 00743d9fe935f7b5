use mcp_elicit::prelude::*;

/// Look at the shop.
#[tool(read_only, destructive)]
async fn look() {}

fn main() {}
