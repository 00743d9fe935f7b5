use mcp_elicit::prelude::*;

struct Address;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    address: Option<Address>,
}

fn main() {}
