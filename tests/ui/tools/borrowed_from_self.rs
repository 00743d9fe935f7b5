use mcp_elicit::prelude::*;

struct Shop {
    name: String,
}

#[tools]
impl Shop {
    /// Tell the name.
    #[tool]
    async fn name(&self) -> &str {
        &self.name
    }
}

fn main() {}
