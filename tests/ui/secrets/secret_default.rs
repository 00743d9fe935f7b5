use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    #[elicit(default = "hunter2")]
    api_key: SecretString,
}

fn main() {}
