use mcp_elicit::prelude::*;

#[derive(Elicit)]
enum Trip {
    Oslo,
    Rome,
}

fn main() {}
