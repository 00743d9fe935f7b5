use mcp_elicit::prelude::*;

/// Without a URI.
#[resource]
async fn nowhere() -> String {
    String::new()
}

/// Without a scheme.
#[resource("checklist")]
async fn relative() -> String {
    String::new()
}

/// With a variable that nobody takes, and a parameter that nobody gives.
#[resource("hr://checklist/{employee}")]
async fn unmatched(_year: u16) -> String {
    String::new()
}

/// With two variables in a row.
#[resource("hr://{a}{b}")]
async fn ambiguous(a: String, b: String) -> String {
    a + &b
}

/// With a kind of variable that cannot be matched back.
#[resource("hr://list{?page}")]
async fn query(page: String) -> String {
    page
}

/// With an option that a tool has.
#[resource("hr://list", destructive, mime = 3)]
async fn options() -> String {
    String::new()
}

#[resource("hr://silent")]
async fn silent() -> String {
    String::new()
}

fn main() {}
