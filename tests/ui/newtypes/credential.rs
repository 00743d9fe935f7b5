use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Words(String);

/// Who are you?
#[derive(Elicit)]
struct Guest {
    password: Words,
}

fn main() {}
