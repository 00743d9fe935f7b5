use mcp_elicit::prelude::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
    #[secret(multiline)]
    certificate: Option<SecretString>,
    label: Option<String>,
}

pub fn main() {
    assert_eq!(Account::declaration().key(), "account");
}
