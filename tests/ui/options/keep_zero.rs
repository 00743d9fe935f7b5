use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account", keep = "0h")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
