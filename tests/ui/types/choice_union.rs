use mcp_elicit::prelude::*;

#[derive(Choice)]
union Seat {
    row: u8,
}

fn main() {}
