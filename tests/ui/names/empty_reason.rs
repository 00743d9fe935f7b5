use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(not_secret = "")]
    token: String,
}

fn main() {}
