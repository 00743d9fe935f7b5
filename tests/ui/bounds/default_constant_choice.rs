use mcp_elicit::prelude::*;

const USUAL: Extra = Extra::Parking;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = USUAL)]
    value: Extra,
}

fn main() {}
