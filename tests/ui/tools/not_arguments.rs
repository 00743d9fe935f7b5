use mcp_elicit::prelude::*;

struct Trip;

/// Plan a trip.
#[tool]
async fn plan(Args(_trip): Args<Trip>) {}

fn main() {}
