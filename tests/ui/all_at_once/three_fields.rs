use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(titel = "To")]
    to: String,
    tags: Vec<String>,
    #[elicit(min = -1)]
    age: u8,
    password: String,
}

fn uses() {
    let _ = Trip::declaration().key();
    let _ = Trip::decode("{}").map(|trip| trip.to);
}

fn main() {}
