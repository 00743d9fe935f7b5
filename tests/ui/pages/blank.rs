use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/my account")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
