use mcp_elicit::prelude::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[elicit(secret)]
    key: SecretString,
}

fn main() {}
