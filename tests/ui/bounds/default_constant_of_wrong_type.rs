use mcp_elicit::prelude::*;

const TO: &str = "Oslo";

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(default = TO)]
    value: u8,
}

fn main() {}
