use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    #[tool(colour = "red")]
    fn open(self, (_a, _b): (u8, u8), _name: &str) {}

    /// Close the shop.
    #[tool(name = "")]
    async fn close<T>(&self, _: T) {}
}

fn main() {}
