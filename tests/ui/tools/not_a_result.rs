use mcp_elicit::prelude::*;

struct Receipt;

/// Finish the order.
#[tool]
async fn finish() -> Result<Receipt, CallError> {
    Ok(Receipt)
}

fn main() {}
