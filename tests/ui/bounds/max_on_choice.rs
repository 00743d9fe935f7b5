use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(max = 1)]
    value: Extra,
}

fn main() {}
