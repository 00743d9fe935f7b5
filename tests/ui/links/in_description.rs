use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(description = "[here](example.com)")]
    to: String,
}

fn main() {}
