use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Parking,
    #[choice(rename = "parking")]
    Garage,
}

fn main() {}
