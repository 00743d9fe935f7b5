use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 10)]
    value: jiff::civil::Date,
}

fn main() {}
