use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "phone")]
    value: String,
}

fn main() {}
