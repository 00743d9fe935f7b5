use mcp_elicit::prelude::*;

/// Plan a trip.
#[tool]
async fn plan(#[arg(default = true)] seats: u8) {
    let _ = seats;
}

fn main() {}
