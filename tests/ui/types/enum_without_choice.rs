use mcp_elicit::prelude::*;

enum Seat {
    Window,
}

/// Where to?
#[derive(Elicit)]
struct Trip {
    seat: Seat,
}

fn main() {}
