use mcp_elicit::prelude::*;

#[derive(Elicit)]
struct Trip(String, u8);

fn main() {}
