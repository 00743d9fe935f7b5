use mcp_elicit::prelude::*;

struct Shop;

#[tools]
impl Shop {
    async fn open(&self) {}
}

fn main() {}
