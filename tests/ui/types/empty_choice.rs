use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Seat {}

fn main() {}
