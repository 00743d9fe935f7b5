use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Seat {
    Window,
    Row { number: u8 },
}

fn main() {}
