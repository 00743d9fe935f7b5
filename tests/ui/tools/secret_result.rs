use mcp_elicit::prelude::*;

/// Show the key.
#[tool]
async fn show() -> Result<SecretString, CallError> {
    Ok(SecretString::from("sk_live_1"))
}

fn main() {}
