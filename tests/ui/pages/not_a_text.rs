use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = PAGE)]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
