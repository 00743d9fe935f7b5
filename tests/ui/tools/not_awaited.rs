use mcp_elicit::prelude::*;

async fn ask() -> Result<String, CallError> {
    Ok(String::new())
}

/// Ask twice.
#[tool]
async fn twice() -> Result<(), CallError> {
    ask();
    ask().await;
    Ok(())
}

fn main() {}
