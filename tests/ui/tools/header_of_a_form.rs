use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
}

/// Run a query.
#[tool]
async fn query(#[arg(header = "Trip")] trip: Fill<Trip>) -> String {
    trip.0.to
}

fn main() {
    let _ = toolset![query];
}
