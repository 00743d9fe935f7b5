use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    /// Close the shop.
    #[tool]
    async fn close(self) {}
}

fn main() {}
