use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Plan {
    /// Free of charge
    Free,
    Pro,
}

/// Which plan?
#[derive(Elicit)]
struct Order {
    #[elicit(enum_names)]
    plans: Vec<Plan>,
}

fn main() {}
