use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    password_confirmation: String,
}

fn main() {}
