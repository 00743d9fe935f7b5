use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    #[choice(name = "park")]
    Parking,
}

fn main() {}
