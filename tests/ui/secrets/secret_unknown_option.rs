use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret(hidden)]
    api_key: SecretString,
}

fn main() {}
