use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    client_secret: String,
}

fn main() {}
