//! Six questions, one in each round, and nothing kept on the server: whichever process has the same
//! key goes on with what another began.
//!
//! Run it as often as you like, behind whatever hands requests round:
//! `PORT=3000 INTERVIEW_KEY="at least 32 bytes that nobody guesses" cargo run --example interview`

mod common;

use mcp_elicit::Keyring;
use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;

const QUESTIONS: [&str; 6] = [
    "What do you make?",
    "For whom?",
    "Since when?",
    "With whom?",
    "What is hard about it?",
    "What comes next?",
];

/// What do you say?
#[derive(Elicit)]
struct Reply {
    #[elicit(max_length = 200)]
    text: String,
}

/// Interview the user: six questions, each of which begins with the answer before it.
#[tool(asks(Reply))]
async fn interview(cx: &Cx) -> Result<String, CallError> {
    // Done in the first round alone; it tells who began.
    let begun = cx.step("begun", async |_| Ok(std::process::id())).await?;
    let mut said: Vec<String> = Vec::new();
    for (i, question) in QUESTIONS.iter().enumerate() {
        let last = said.last().map(|last| format!("\"{last}\". "));
        let message = format!("{}{question}", last.unwrap_or_default());
        said.push(cx.ask::<Reply>().at(i).message(message).await?.text);
    }
    Ok(format!("{}: begun by process {begun}", said.join(", ")))
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let key = std::env::var("INTERVIEW_KEY").unwrap_or_default();
    let keyring = Keyring::new(key).unwrap_or_else(|error| {
        eprintln!("interview: INTERVIEW_KEY: {error}");
        std::process::exit(2)
    });
    Server::new("interview", env!("CARGO_PKG_VERSION"))
        .tools(toolset![interview])
        .keyring(keyring)
        // Forms keep nothing in it.
        .store(MemoryStore::new())
        .auth(DevUsers)
        .limits(common::limits())
        .serve(&common::address())
        .await
}
