use mcp_elicit::prelude::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
    #[elicit(not_secret = "the public half of the pair")]
    client_key: String,
    has_password: bool,
}

pub fn main() {
    assert_eq!(Account::declaration().table().fields.len(), 3);
}
