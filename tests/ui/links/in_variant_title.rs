use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    #[choice(title = "https://example.com/parking")]
    Parking,
}

fn main() {}
