use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    db_passwd: String,
}

fn main() {}
