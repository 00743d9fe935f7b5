use mcp_elicit::prelude::*;

use std::cell::Cell;

struct Counter(Cell<u32>);

#[tools]
impl Counter {
    /// Count.
    #[tool]
    async fn count(&self) {
        self.0.set(self.0.get() + 1);
    }
}

fn main() {}
