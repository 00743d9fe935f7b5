use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = "2025-02-30")]
    value: jiff::civil::Date,
}

fn main() {}
