use mcp_elicit::prelude::*;

struct Trip;

fn ask<T: Elicit>() {}

fn main() {
    ask::<Trip>();
}
