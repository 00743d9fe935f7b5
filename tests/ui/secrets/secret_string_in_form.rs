use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    key: SecretString,
}

fn main() {}
