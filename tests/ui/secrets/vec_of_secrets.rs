use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    keys: Vec<SecretString>,
}

fn main() {}
