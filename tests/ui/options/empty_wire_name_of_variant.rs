use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    #[choice(rename = " ")]
    Garage,
}

fn main() {}
