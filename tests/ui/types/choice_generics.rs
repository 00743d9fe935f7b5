use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Seat<const N: usize> {
    Window,
}

fn main() {}
