use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Email {
    address: String,
}

fn main() {}
