use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(title = "To")]
    #[elicit(title = "Where")]
    to: String,
}

fn main() {}
