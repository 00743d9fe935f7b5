//! What came of a call, and what was asked on the way.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fail::fail;
use super::notice::Notice;
use crate::runtime::question::{GIVEN, REASON};
use crate::runtime::{LogLevel, Progress};

/// A question as a client was given it.
#[derive(Debug, Clone)]
pub struct Asked {
    key: String,
    round: usize,
    params: Value,
    /// The line that answered it.
    pub(super) answered: Option<String>,
    /// Whether it is to be the same if it is asked again.
    pub(super) lasts: bool,
}

impl Asked {
    pub(super) fn new(key: &str, round: usize, request: &Value) -> Self {
        Self {
            key: key.to_owned(),
            round,
            params: request.get("params").cloned().unwrap_or_default(),
            answered: None,
            lasts: true,
        }
    }

    /// Its key, such as `invoice` or `invoice.0`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The round in which it was asked, from 1.
    #[must_use]
    pub const fn round(&self) -> usize {
        self.round
    }

    /// What the user reads, with the reasons why an earlier answer was of no use; of a generation the
    /// last text that the model is given.
    #[must_use]
    pub fn message(&self) -> &str {
        let last = || {
            let content = self
                .params
                .get("messages")?
                .as_array()?
                .last()?
                .get("content")?;
            let blocks = content
                .as_array()
                .map_or(std::slice::from_ref(content), Vec::as_slice);
            blocks.iter().rev().find_map(|it| it.get("text"))
        };
        let text = self.params.get("message").or_else(last);
        text.and_then(Value::as_str).unwrap_or_default()
    }

    /// The parameters of the request, whole.
    #[must_use]
    pub const fn params(&self) -> &Value {
        &self.params
    }

    /// The question alone, without reasons.
    pub(super) fn question(&self) -> &str {
        let text = self.message().split(REASON).next();
        let text = text.and_then(|text| text.split(GIVEN).next());
        text.unwrap_or_default()
    }

    /// The schema of a form.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        self.params.get("requestedSchema")
    }

    /// The link of a page.
    #[must_use]
    pub fn link(&self) -> Option<&str> {
        self.params.get("url").and_then(Value::as_str)
    }

    /// Everything in one line.
    pub(super) fn in_short(&self) -> String {
        let answered = self.answered.as_deref().unwrap_or("no line");
        format!(
            "\n  round {}: `{}` {:?}: {answered}",
            self.round,
            self.key,
            self.message()
        )
    }
}

/// Key, message, and schema or link.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "  `{}` in round {}: {}",
            self.key,
            self.round,
            self.message()
        )?;
        match (self.schema(), self.link()) {
            (Some(schema), _) => write!(f, "\n  {schema}"),
            (None, Some(link)) => write!(f, "\n  {link}"),
            (None, None) => Ok(()),
        }
    }
}

/// A JSON-RPC error that a call ended in.
#[derive(Debug, Clone)]
pub struct Refused(Value);

impl Refused {
    /// Its code, such as -32602.
    #[must_use]
    pub fn code(&self) -> i64 {
        self.0
            .get("code")
            .and_then(Value::as_i64)
            .unwrap_or_default()
    }

    /// Its text.
    #[must_use]
    pub fn message(&self) -> &str {
        self.0
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// What else it says.
    #[must_use]
    pub fn data(&self) -> Option<&Value> {
        self.0.get("data")
    }
}

/// What came of a call, from awaiting a [`TestCall`](super::TestCall).
///
/// ```
/// # use mcp_elicit::prelude::*;
/// # use mcp_elicit::testing::*;
/// # /// Says yes.
/// # #[tool]
/// # async fn agree(cx: &Cx) -> Result<String, CallError> {
/// #     cx.confirm("Agree?").await?;
/// #     Ok("agreed".to_owned())
/// # }
/// # fn server() -> Server {
/// #     Server::new("terms", "1").tools(toolset![agree])
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let app = TestApp::new(server()).await;
/// let run = app.user("ada").tool("agree").confirm(true).await;
/// assert_eq!((run.text(), run.is_error(), run.rounds()), ("agreed", false, 2));
/// assert_eq!(run.asked()[0].key(), "confirm");
/// let run = app.user("ada").tool("other").await;
/// assert_eq!(run.refused().map(|it| it.code()), Some(-32602));
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a test looks at what came of a call"]
pub struct Run {
    pub(super) ended: Result<Value, Refused>,
    text: String,
    asked: Vec<Asked>,
    rounds: usize,
    cause: Option<String>,
    progress: Vec<Progress>,
    log: Vec<(LogLevel, Value)>,
}

impl Run {
    pub(super) fn new(
        reply: &Value,
        asked: Vec<Asked>,
        rounds: usize,
        cause: Option<String>,
        notices: Vec<Notice>,
    ) -> Self {
        let (mut progress, mut log) = (Vec::new(), Vec::new());
        for notice in notices {
            match notice {
                Notice::Progress(it) => progress.push(it),
                Notice::Log(level, data) => log.push((level, data)),
            }
        }
        let ended = match reply.get("error") {
            Some(error) => Err(Refused(error.clone())),
            None => Ok(reply.get("result").cloned().unwrap_or_default()),
        };
        // Blocks of a tool, contents of a resource, messages of a prompt.
        let list = |name| ended.as_ref().ok()?.get(name)?.as_array();
        let lists = ["content", "contents", "messages"]
            .into_iter()
            .filter_map(list);
        let block = |it: &Value| it.get("content").unwrap_or(it).get("text").cloned();
        let texts: Vec<_> = lists.flatten().filter_map(block).collect();
        let texts: Vec<_> = texts.iter().filter_map(Value::as_str).collect();
        Self {
            text: texts.join("\n"),
            ended,
            asked,
            rounds,
            cause,
            progress,
            log,
        }
    }

    /// The texts of the result, one below the other. The test fails if the call was refused.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        let _ = self.result();
        &self.text
    }

    /// The structured content of the result, or its text as JSON. The test fails if that is no `T`.
    #[must_use]
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        let read = match self.result().get("structuredContent") {
            Some(value) => T::deserialize(value),
            None => serde_json::from_str(&self.text),
        };
        match read {
            Ok(value) => value,
            Err(error) => fail(&format!(
                "the result is something else: {error}\n{}",
                self.said()
            )),
        }
    }

    /// The whole result, as it was sent. The test fails if the call was refused.
    #[must_use]
    #[track_caller]
    pub fn result(&self) -> &Value {
        match &self.ended {
            Ok(result) => result,
            Err(_) => fail(&self.said()),
        }
    }

    /// Whether the result is an error that the model is told of.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.ended
            .as_ref()
            .is_ok_and(|it| it.get("isError") == Some(&Value::Bool(true)))
    }

    /// The JSON-RPC error, if the call ended in one.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        self.ended.as_ref().err()
    }

    /// What was asked, in order. What was asked again is there again.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// How many requests it took.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// The progress that a client which wants to hear of it was told, of all rounds.
    #[must_use]
    pub fn progress(&self) -> &[Progress] {
        &self.progress
    }

    /// The log messages that a client which wants them all was sent, of all rounds.
    #[must_use]
    pub fn log(&self) -> &[(LogLevel, Value)] {
        &self.log
    }

    /// What the log has of an error that the client is told nothing of.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// How it ended, in words.
    pub(super) fn said(&self) -> String {
        let cause = self.cause.iter().map(|it| format!("\nThe log has: {it}"));
        let ended = match &self.ended {
            Ok(_) if self.is_error() => format!("The call ended in the error: {}", self.text),
            Ok(_) => format!("The call ended with: {}", self.text),
            Err(error) => format!(
                "The call was refused ({}): {}",
                error.code(),
                error.message()
            ),
        };
        ended + &cause.collect::<String>()
    }
}
