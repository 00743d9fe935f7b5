use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 0)]
    value: std::num::NonZeroU8,
}

fn main() {}
