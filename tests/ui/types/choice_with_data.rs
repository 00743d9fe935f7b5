use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Seat {
    Window,
    Row(u8),
}

fn main() {}
