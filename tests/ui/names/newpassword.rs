use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[allow(non_snake_case)]
    newPassword: String,
}

fn main() {}
