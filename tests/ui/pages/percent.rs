use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/%61ccount")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
