//! Prompts and resources in every spelling.

use mcp_elicit::prelude::*;
use mcp_elicit::{Completing, IntoTools, NotFound, ResourceContents};

/// Greet somebody.
#[prompt(name = "greet-somebody", title = "Greet")]
async fn greet(
    cx: &Cx,
    #[arg(complete = names)] name: String,
    #[arg(default = 1)] times: u8,
) -> Result<Messages, CallError> {
    cx.confirm("Really?").await?;
    Ok(Messages::new().user(name).assistant(times.to_string()))
}

async fn names(_: Completing) -> Vec<String> {
    Vec::new()
}

/// The hours.
#[mcp_elicit::resource("office://hours", mime = "text/plain", title = "Hours")]
async fn hours() -> &'static str {
    "9 to 5"
}

/// A file.
#[resource("files:///{+path}/raw/{n}")]
async fn file(n: u32, path: String) -> Result<Vec<ResourceContents>, CallError> {
    match n {
        0 => Err(NotFound.into()),
        _ => Ok(vec![ResourceContents::text("files:///a", path)]),
    }
}

struct Office;

#[tools]
impl Office {
    /// A tool.
    #[tool]
    async fn open(&self) {}

    /// A prompt, named as the tool is.
    #[mcp_elicit::prompt(name = "open")]
    async fn ask(&self) -> &'static str {
        "open"
    }

    /// A resource.
    #[resource("office://{room}")]
    async fn room(&self, room: String) -> Vec<u8> {
        room.into_bytes()
    }
}

pub fn main() {
    let mut all = toolset![greet, hours, file];
    all.add(Office);
    assert_eq!((all.tools.len(), all.prompts.len(), all.resources.len()), (1, 2, 3));
    assert!(all.resources[1].is_template());
    let _ = Office.into_tools();
}
