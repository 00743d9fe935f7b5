use mcp_elicit::prelude::*;

/// Sign in.
#[tool]
async fn sign_in(api_key: SecretString) {
    drop(api_key);
}

fn main() {}
