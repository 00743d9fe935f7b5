use mcp_elicit::prelude::*;

#[derive(Choice)]
#[choice(title = "Extras")]
enum Extra {
    Parking,
}

fn main() {}
