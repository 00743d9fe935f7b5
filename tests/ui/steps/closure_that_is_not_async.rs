use mcp_elicit::prelude::*;

/// Books a trip.
#[tool]
async fn book(cx: &Cx) -> Result<(), CallError> {
    cx.once("pay", |_| Ok(1)).await?;
    Ok(())
}

fn main() {}
