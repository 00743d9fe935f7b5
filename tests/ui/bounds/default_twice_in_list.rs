use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = ["parking", "parking"])]
    value: Vec<Extra>,
}

fn main() {}
