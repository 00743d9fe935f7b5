use mcp_elicit::prelude::*;

/// Greet somebody.
#[tool]
async fn greet(name: Fill<String>) -> String {
    name.0
}

/// Greet somebody, who is somebody else by default.
#[tool]
async fn welcome(#[arg(default)] Fill(guest): Fill<Guest>) -> String {
    guest.name
}

/// Who is it?
#[derive(Elicit)]
struct Guest {
    name: String,
}

type Filled = Fill<Guest>;

/// Greet somebody by another name of the type.
#[tool]
async fn hail(guest: Filled) -> String {
    guest.0.name
}

fn main() {}
