use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(keep = "8h")]
struct Trip {
    to: String,
}

fn main() {}
