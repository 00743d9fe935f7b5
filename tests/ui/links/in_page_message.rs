use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "From https://example.com")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
