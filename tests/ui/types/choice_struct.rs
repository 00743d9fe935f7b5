use mcp_elicit::prelude::*;

#[derive(Choice)]
struct Seat {
    row: u8,
}

fn main() {}
