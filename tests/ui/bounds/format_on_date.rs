use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(format = "date-time")]
    value: jiff::civil::Date,
}

fn main() {}
