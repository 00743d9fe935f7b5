use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(lt = 10)]
    value: i32,
}

fn main() {}
