use mcp_elicit::prelude::*;

type Hidden = SecretString;

/// Where to?
#[derive(Elicit)]
struct Trip {
    key: Hidden,
}

fn main() {}
