use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(title = "Your password")]
    word: String,
}

fn main() {}
