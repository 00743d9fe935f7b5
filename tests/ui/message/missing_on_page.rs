use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Trip {
    #[secret]
    key: SecretString,
}

fn main() {}
