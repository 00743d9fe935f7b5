use mcp_elicit::prelude::*;

/// Give the text back.
#[tool]
async fn echo() -> Result<String, Box<dyn std::error::Error>> {
    Ok(String::new())
}

fn main() {}
