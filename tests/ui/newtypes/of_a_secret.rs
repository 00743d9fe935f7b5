use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Key(SecretString);

fn main() {}
