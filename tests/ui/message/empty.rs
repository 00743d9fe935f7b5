use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(message = "")]
struct Trip {
    to: String,
}

fn main() {}
