use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    /// Open the shop.
    #[tool]
    async fn open(&self) {}
}

fn main() {
    let _ = toolset![Shop];
}
