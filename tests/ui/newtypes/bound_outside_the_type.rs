use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Age(u8);

/// Who are you?
#[derive(Elicit)]
struct Guest {
    #[elicit(max = 300)]
    age: Age,
}

fn main() {}
