use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(title = "www.example.com")]
    to: String,
}

fn main() {}
