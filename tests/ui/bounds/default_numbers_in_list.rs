use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = [1])]
    value: Vec<Extra>,
}

fn main() {}
