use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Plan {
    Free,
    ProPlus,
}

/// Which plan?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = "ProPlus")]
    plan: Plan,
}

fn main() {}
