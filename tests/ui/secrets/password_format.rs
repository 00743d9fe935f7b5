use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "password")]
    word: String,
}

fn main() {}
