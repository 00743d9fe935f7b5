use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(url = "/ui/konto-ä")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
