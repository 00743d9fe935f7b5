use mcp_elicit::prelude::*;

struct Receipt;

/// Finish the order.
#[tool]
async fn finish() -> Json<Receipt> {
    Json(Receipt)
}

fn main() {}
