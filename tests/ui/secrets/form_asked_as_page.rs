use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    to: String,
}

fn page<T: mcp_elicit::declare::PageMode>() {}

fn main() {
    page::<Trip>();
}
