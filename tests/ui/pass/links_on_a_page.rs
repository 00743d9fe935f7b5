use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    /// See https://example.com/keys for yours.
    #[secret]
    key: SecretString,
}

pub fn main() {}
