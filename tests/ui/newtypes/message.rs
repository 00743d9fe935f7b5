use mcp_elicit::prelude::*;

#[derive(Elicit)]
#[elicit(transparent, message = "Your address")]
struct Email(String);

/// Who are you?
#[derive(Elicit)]
struct Guest {
    #[elicit(format = "email")]
    email: Email,
}

fn main() {}
