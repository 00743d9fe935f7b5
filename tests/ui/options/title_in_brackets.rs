use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(title("To"))]
    to: String,
}

fn main() {}
