use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    #[elicit(max_length = 64)]
    api_key: SecretString,
}

fn main() {}
