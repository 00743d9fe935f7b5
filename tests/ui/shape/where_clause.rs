use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip
where
    String: Clone,
{
    to: String,
}

fn main() {}
