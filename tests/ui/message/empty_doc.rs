use mcp_elicit::prelude::*;

///
#[derive(Elicit)]
struct Trip {
    to: String,
}

fn main() {}
