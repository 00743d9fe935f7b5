use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "https://example.com/ui/account")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
