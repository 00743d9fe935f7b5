use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    /// mailto:help@example.com
    to: String,
}

fn main() {}
