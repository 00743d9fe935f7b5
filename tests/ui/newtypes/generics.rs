use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Wrapped<T>(T);

fn main() {}
