use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    r#token: String,
}

fn main() {}
