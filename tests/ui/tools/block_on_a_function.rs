use mcp_elicit::prelude::*;

/// Open the shop.
#[tools]
async fn open() {}

fn main() {}
