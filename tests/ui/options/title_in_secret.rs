use mcp_elicit::prelude::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret(title = "Key")]
    key: SecretString,
}

fn main() {}
