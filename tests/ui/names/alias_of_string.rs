use mcp_elicit::prelude::*;

type Text = String;

/// Where to?
#[derive(Elicit)]
struct Trip {
    password: Text,
}

fn main() {}
