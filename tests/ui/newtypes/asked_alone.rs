use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent)]
struct Email(String);

fn ask<T: Elicit>() {}

fn main() {
    ask::<Email>();
}
