use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account/key")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
