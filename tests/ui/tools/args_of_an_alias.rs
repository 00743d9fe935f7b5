use mcp_elicit::prelude::*;

type All = Args<String>;

/// Plan a trip.
#[tool]
async fn plan(_all: All) {}

fn main() {}
