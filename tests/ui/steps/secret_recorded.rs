use mcp_elicit::prelude::*;

/// Books a trip.
#[tool]
async fn book(cx: &Cx) -> Result<(), CallError> {
    cx.step("key", async |_| Ok(SecretString::from("k"))).await?;
    Ok(())
}

fn main() {}
