use mcp_elicit::prelude::*;

struct Account;

/// Connect.
#[tool(asks(Account))]
async fn connect(_cx: &Cx) {}

fn main() {}
