use mcp_elicit::prelude::*;

/// Who are you?
#[derive(Elicit)]
#[elicit(transparent = true)]
struct Guest {
    email: String,
}

fn main() {}
