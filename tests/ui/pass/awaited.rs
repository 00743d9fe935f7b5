use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
}

/// Books a trip.
#[tool]
async fn book(cx: &Cx) -> Result<String, CallError> {
    let trip = cx.ask::<Trip>().await?;
    Ok(trip.to)
}

pub fn main() {}
