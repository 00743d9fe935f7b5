use mcp_elicit::prelude::*;

/// Your account
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    #[elicit(rename = "key", enum_names)]
    api_key: SecretString,
}

fn main() {}
