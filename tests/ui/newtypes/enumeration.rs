use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
enum Class {
    First(String),
}

fn main() {}
