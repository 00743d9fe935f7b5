use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(url = "/ui/email", transparent)]
struct Email(String);

fn main() {}
