use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    key: Option<SecretString>,
}

fn main() {}
