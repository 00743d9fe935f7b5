use mcp_elicit::prelude::*;

/// Books a trip.
#[tool]
async fn book(cx: &Cx) -> Result<(), CallError> {
    cx.once("pay", async |_| Ok(1));
    Ok(())
}

fn main() {}
