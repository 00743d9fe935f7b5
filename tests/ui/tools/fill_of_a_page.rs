use mcp_elicit::prelude::*;

/// Your key.
#[derive(Elicit)]
#[elicit(url = "/ui/key")]
struct Key {
    #[secret]
    key: SecretString,
}

/// Order with a key.
#[tool]
async fn order(key: Fill<Key>) -> String {
    drop(key);
    String::new()
}

fn main() {}
