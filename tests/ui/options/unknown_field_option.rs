use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(titel = "To")]
    to: String,
}

fn main() {}
