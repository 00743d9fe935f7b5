use mcp_elicit::prelude::*;

use Extra::Parking;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = Parking)]
    value: Extra,
}

fn main() {}
