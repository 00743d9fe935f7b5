use mcp_elicit::prelude::*;

#[derive(Choice)]
#[choice(rename_all = "kebab")]
enum Extra {
    Parking,
}

fn main() {}
