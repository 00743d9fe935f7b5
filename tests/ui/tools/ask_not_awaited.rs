use mcp_elicit::prelude::*;

/// Where do you want to sit?
#[derive(Elicit)]
struct Seat {
    row: u8,
}

/// Reserve a seat.
#[tool]
async fn reserve(cx: &Cx) -> Result<(), CallError> {
    cx.ask::<Seat>();
    Ok(())
}

fn main() {}
