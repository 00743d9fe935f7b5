use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
#[elicit(rename_all = "camelCase")]
struct Trip {
    #[allow(non_snake_case)]
    startDate: String,
    start_date: String,
}

fn main() {}
