use std::collections::HashMap;

use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    extras: HashMap<String, String>,
}

fn main() {}
