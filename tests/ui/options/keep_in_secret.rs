use mcp_elicit::prelude::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret(keep = "8h")]
    key: SecretString,
}

fn main() {}
