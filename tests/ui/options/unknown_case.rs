use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(rename_all = "Title Case")]
struct Trip {
    to: String,
}

fn main() {}
