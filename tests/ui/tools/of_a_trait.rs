use mcp_elicit::prelude::*;

struct Shop;

trait Open {
    async fn open(&self);
}

#[tools]
impl Open for Shop {
    /// Open the shop.
    #[tool]
    async fn open(&self) {}
}

fn main() {}
