use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(message = "Where to?")]
struct Trip {
    to: String,
}

pub fn main() {}
