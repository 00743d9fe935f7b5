use mcp_elicit::prelude::*;

#[derive(Choice)]
enum Plan {
    Free,
    #[elicit(title = "Pro, for teams")]
    Pro,
}

fn main() {}
