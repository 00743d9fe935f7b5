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
    #[elicit(enum_names, default = "pro", enum_names)]
    plan: Plan,
}

fn main() {}
