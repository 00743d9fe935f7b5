use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Range(u8, u8);

fn main() {}
