use mcp_elicit::prelude::*;

struct Shop;

impl Shop {
    /// Open the shop.
    #[tool]
    async fn open(&self) {}
}

fn main() {}
