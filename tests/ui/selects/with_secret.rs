use mcp_elicit::prelude::*;

/// Your account
#[derive(Elicit)]
#[elicit(url = "/ui/route")]
struct Account {
    #[select]
    #[secret]
    key: SecretString,
}

fn main() {}
