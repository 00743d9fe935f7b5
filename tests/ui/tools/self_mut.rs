use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    /// Close the shop.
    #[tool]
    async fn close(&mut self) {}
}

fn main() {}
