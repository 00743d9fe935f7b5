use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(title = 3)]
    to: String,
}

fn main() {}
