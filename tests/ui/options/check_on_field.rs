use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(check = is_known)]
    to: String,
}

fn main() {}
