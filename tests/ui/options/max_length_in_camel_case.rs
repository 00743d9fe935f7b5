use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(maxLength = 20)]
    to: String,
}

fn main() {}
