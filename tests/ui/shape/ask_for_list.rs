use mcp_elicit::prelude::*;



fn ask<T: Elicit>() {}

fn main() {
    ask::<Vec<i32>>();
}
