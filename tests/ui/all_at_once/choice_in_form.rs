use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Parking,
    Room(u8),
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(min_items = 1, default = ["parking"])]
    extras: Vec<Extra>,
    extra: Option<Extra>,
}

fn main() {}
