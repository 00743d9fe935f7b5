use mcp_elicit::prelude::*;

/// Counts.
#[prompt]
async fn count() -> u8 {
    7
}

/// Reads.
#[resource("test://number")]
async fn number() -> u8 {
    7
}

fn main() {}
