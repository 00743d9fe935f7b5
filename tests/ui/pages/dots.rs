use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/..")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
