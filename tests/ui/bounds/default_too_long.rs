use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 3, default = "Oslo")]
    value: String,
}

fn main() {}
