use mcp_elicit::prelude::*;

struct Wrong;

/// Give the text back.
#[tool]
async fn echo() -> Result<String, Wrong> {
    Ok(String::new())
}

fn main() {}
