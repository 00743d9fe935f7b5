use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Age(#[elicit(min = 18)] u8);

fn main() {}
