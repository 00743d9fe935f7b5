use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Nothing;

fn main() {}
