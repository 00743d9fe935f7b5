use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min = 1, max = 100, default = 2)]
    value: u16,
}

pub fn main() {}
