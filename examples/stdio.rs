//! A local tool that asks: a server that its client starts, with no address and no sign-in.
//!
//! Give a client the command `cargo run --example stdio`, or the program that it builds, and call the
//! tool `note`. It asks for a title in the client, and on a page of its own for the key of the notebook, which
//! then is kept for you alone, encrypted, in your data directory. `MCP_ELICIT_DATA` says where else.

mod common;

use mcp_elicit::prelude::*;

/// Your notebook.
#[derive(Elicit)]
#[elicit(
    url = "/ui/notebook",
    message = "The notebook is locked. Its key is asked for once and stays on this machine."
)]
struct Notebook {
    /// From the notebook's settings
    #[secret]
    key: SecretString,
}

/// What shall the note be called?
#[derive(Elicit)]
struct Title {
    #[elicit(max_length = 60)]
    title: String,
}

/// Writes a note.
#[tool(asks(Notebook, Title))]
async fn note(
    cx: &Cx,
    /** What it says */
    text: String,
) -> Result<String, CallError> {
    let notebook = cx.ask::<Notebook>().await?;
    let title = cx.ask::<Title>().about(&text).await?.title;
    let id = cx
        .once("write", async |_| Ok(write(&notebook.key, &title, &text)))
        .await?;
    // Standard output is for messages alone; what is printed goes to standard error.
    println!("note {id} was written");
    Ok(format!("Written as \"{title}\", number {id}."))
}

/// What a real one would do; it only counts.
fn write(_key: &SecretString, title: &str, text: &str) -> usize {
    title.len() + text.len()
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    Server::new("notes", env!("CARGO_PKG_VERSION"))
        .tools(toolset![note])
        .limits(common::limits())
        .serve_stdio()
        .await
}
