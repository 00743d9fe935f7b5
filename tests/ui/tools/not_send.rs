use mcp_elicit::prelude::*;

use std::rc::Rc;

async fn wait(_: &str) {}

/// Wait.
#[tool]
async fn slow() {
    let text = Rc::new(String::new());
    wait(&text).await;
}

fn main() {}
