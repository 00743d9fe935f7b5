use mcp_elicit::prelude::*;

struct Account {
    #[expect(dead_code)]
    api_key: SecretString,
}

/// Show the account.
#[tool]
async fn show() -> Json<Account> {
    Json(Account { api_key: SecretString::from("sk_live_1") })
}

fn main() {}
