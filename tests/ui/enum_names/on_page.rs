use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Plan {
    /// Free of charge
    Free,
    Pro,
}

/// Which plan?
#[derive(Elicit)]
#[elicit(url = "/ui/plan")]
struct Order {
    #[elicit(enum_names)]
    plan: Plan,
}

fn main() {}
