use mcp_elicit::prelude::*;

const SEATS: u8 = 3;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 2.5, default = SEATS)]
    value: f64,
}

fn main() {}
