use mcp_elicit::prelude::*;

const LEAST: i8 = -1;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min_length = LEAST)]
    value: String,
}

fn main() {}
