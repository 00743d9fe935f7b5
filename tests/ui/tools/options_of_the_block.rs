use mcp_elicit::prelude::*;

struct Shop;

#[tools(destructive)]
impl Shop {
    /// Open the shop.
    #[tool(crate = mcp_elicit)]
    async fn open(&self) {}
}

fn main() {}
