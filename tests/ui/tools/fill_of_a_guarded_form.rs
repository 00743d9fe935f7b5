use mcp_elicit::prelude::*;

/// Delete everything?
#[derive(Elicit)]
#[elicit(guarded)]
struct Sure {
    sure: bool,
}

struct Shop;

#[tools]
impl Shop {
    /// Delete everything.
    #[tool]
    async fn delete(&self, _cx: &Cx, Fill(sure): Fill<Sure>) -> String {
        sure.sure.to_string()
    }
}

fn main() {}
