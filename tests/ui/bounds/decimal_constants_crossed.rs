use mcp_elicit::prelude::*;

const LEAST: f32 = 1.5;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = LEAST, max = 1)]
    value: f32,
}

fn main() {}
