use mcp_elicit::prelude::*;

struct Fare;

/// Books a trip.
#[tool]
async fn book(cx: &Cx) -> Result<(), CallError> {
    cx.step("fares", async |_| Ok(Fare)).await?;
    Ok(())
}

fn main() {}
