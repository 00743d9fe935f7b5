use mcp_elicit::prelude::*;

struct Shop;

#[tools(destructive)]
impl Shop {
    /// Open the shop.
    #[tool]
    async fn open(&self) {}
}

fn main() {}
