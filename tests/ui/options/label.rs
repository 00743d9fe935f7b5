use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(label = "To")]
    to: String,
}

fn main() {}
