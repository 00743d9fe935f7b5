use mcp_elicit::prelude::*;

/// Where to?
#[derive(Elicit)]
struct Trip {
    #[elicit(not_secret = "a word of a poem")]
    token: String,
    tokenizer: String,
    has_password: bool,
    secret: Option<bool>,
}

pub fn main() {}
