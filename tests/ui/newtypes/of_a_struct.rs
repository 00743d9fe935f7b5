use mcp_elicit::prelude::*;

struct Place;

#[derive(Elicit)]
#[elicit(transparent)]
struct Town(Place);

fn main() {}
