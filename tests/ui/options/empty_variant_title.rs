use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    #[choice(title = "")]
    Parking,
}

fn main() {}
