use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Repo(#[select] String);

fn main() {}
