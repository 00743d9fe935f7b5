use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    #[elicit(not_secret = "it is")]
    api_key: SecretString,
}

fn main() {}
