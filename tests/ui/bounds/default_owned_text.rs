use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = String::from("Oslo"))]
    value: String,
}

fn main() {}
