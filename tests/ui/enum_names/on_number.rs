use mcp_elicit::prelude::*;

type Count = Option<u8>;

/// Which plan?
#[derive(Elicit)]
struct Order {
    #[elicit(enum_names)]
    seats: Count,
}

fn main() {}
