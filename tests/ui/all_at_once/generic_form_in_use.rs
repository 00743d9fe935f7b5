use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip<T> {
    to: T,
}

fn ask<T: mcp_elicit::declare::FormMode>() {}

fn uses() {
    ask::<Trip<String>>();
}

fn main() {}
