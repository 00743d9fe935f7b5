use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[secret]
    api_key: SecretString,
}

fn main() {}
