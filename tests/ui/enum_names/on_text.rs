use mcp_elicit::prelude::*;

/// Which plan?
#[derive(Elicit)]
struct Order {
    #[elicit(max_length = 9, enum_names)]
    plan: String,
}

fn main() {}
