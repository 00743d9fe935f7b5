use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    /// Open the shop.
    #[tool]
    async fn open(&self) {}

    /// Open it again.
    #[tool(name = "open")]
    async fn reopen(&self) {}
}

fn main() {}
