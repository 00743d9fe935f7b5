use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    otp: u32,
}

fn main() {}
