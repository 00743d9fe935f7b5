use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Extra {
    Breakfast,
    Parking,
}

fn ask<T: Elicit>() {}

fn main() {
    ask::<Extra>();
}
