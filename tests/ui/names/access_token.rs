use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    access_token: Option<String>,
}

fn main() {}
