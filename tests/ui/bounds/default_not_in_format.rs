use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "email", default = "nobody")]
    value: String,
}

fn main() {}
