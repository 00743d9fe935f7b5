use mcp_elicit::prelude::*;

struct Trip;

/// Plan a trip.
#[tool]
async fn plan(trip: Trip, seats: u8) {
    let _ = (trip, seats);
}

fn main() {}
