use mcp_elicit::prelude::*;

#[derive(mcp_elicit::serde::Deserialize, mcp_elicit::schemars::JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Trip {
    to: String,
}

/// Plan a trip.
#[tool]
async fn plan(Args(trip): Args<Trip>, seats: u8) -> String {
    format!("{} {seats}", trip.to)
}

fn main() {}
