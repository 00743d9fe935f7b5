//! What a handler answers, and how it is written: of a tool, how a return value becomes content
//! blocks, structured content and the mark of an error. It uses the content blocks and the errors;
//! it does not know requests, nor what else stands in a result.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{CallError, IntoCallError};
use crate::wire::content::Content;
use crate::wire::resource::ResourceContents;

use super::prompt::Messages;
use super::resource::Caching;
use super::schema;

/// What a handler answers, ready to be written.
#[derive(Debug)]
pub struct Reply(Body);

#[derive(Debug)]
enum Body {
    Tool {
        content: Blocks,
        structured: Option<String>,
        is_error: bool,
    },
    Prompt(Messages),
    Resource(Vec<ResourceContents>, Caching),
}

/// One text is by far the most usual answer, so it has no list around it.
#[derive(Debug)]
enum Blocks {
    Text(Cow<'static, str>),
    /// The structured content once more as text, for clients that read only that.
    Structured,
    Many(Vec<Content>),
}

impl Reply {
    /// One block of text.
    #[must_use]
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::tool(Blocks::Text(text.into()), None, false)
    }

    /// One block of text that tells the model what went wrong.
    #[must_use]
    pub fn error(text: impl Into<Cow<'static, str>>) -> Self {
        Self::tool(Blocks::Text(text.into()), None, true)
    }

    /// What a prompt answers.
    #[must_use]
    pub fn messages(messages: Messages) -> Self {
        Self(Body::Prompt(messages))
    }

    /// What a resource answers.
    #[must_use]
    pub fn contents(contents: Vec<ResourceContents>) -> Self {
        Self(Body::Resource(contents, Caching::default()))
    }

    const fn tool(content: Blocks, structured: Option<String>, is_error: bool) -> Self {
        Self(Body::Tool {
            content,
            structured,
            is_error,
        })
    }

    /// Whether it is a success without structured content.
    pub(crate) fn lacks_structure(&self) -> bool {
        matches!(
            self.0,
            Body::Tool {
                structured: None,
                is_error: false,
                ..
            }
        )
    }

    /// The same contents, which may be kept so.
    pub(crate) fn cached(mut self, as_said: Caching) -> Self {
        if let Body::Resource(_, caching) = &mut self.0 {
            *caching = as_said;
        }
        self
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self.0, Body::Tool { is_error: true, .. })
    }

    /// Appends the members of a result that are the handler's own: of a tool
    /// `"content":[..],"structuredContent":..,"isError":..`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Body::Tool {
                content,
                structured,
                is_error,
            } => write_tool(content, structured.as_deref(), *is_error, out),
            Body::Prompt(messages) => messages.write(out),
            Body::Resource(contents, caching) => {
                out.extend_from_slice(br#""contents":"#);
                write_json(contents, out);
                let scope = if caching.shared { "public" } else { "private" };
                let caching = format!(r#","ttlMs":{},"cacheScope":"{scope}""#, caching.ttl);
                out.extend_from_slice(caching.as_bytes());
            }
        }
    }

    /// Shows every text that [`write`](Self::write) would send, the structured content as its JSON.
    pub fn each_text(&self, see: &mut dyn FnMut(&str)) {
        match &self.0 {
            Body::Tool {
                content,
                structured,
                ..
            } => {
                match content {
                    Blocks::Text(text) => see(text),
                    Blocks::Structured => {}
                    Blocks::Many(blocks) => blocks.iter().for_each(|block| block.each_text(see)),
                }
                structured.as_deref().into_iter().for_each(see);
            }
            Body::Prompt(messages) => messages.each_text(see),
            Body::Resource(contents, _) => contents.iter().for_each(|it| it.each_text(see)),
        }
    }
}

fn write_tool(content: &Blocks, structured: Option<&str>, is_error: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(br#""content":["#);
    match content {
        Blocks::Text(text) => write_text(text, out),
        Blocks::Structured => write_text(structured.unwrap_or_default(), out),
        Blocks::Many(blocks) => {
            for (i, block) in blocks.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                match block.plain_text() {
                    Some(text) => write_text(text, out),
                    None => write_json(block, out),
                }
            }
        }
    }
    out.push(b']');
    if let Some(structured) = structured {
        out.extend_from_slice(br#","structuredContent":"#);
        out.extend_from_slice(structured.as_bytes());
    }
    let end: &[u8] = if is_error {
        br#","isError":true"#
    } else {
        br#","isError":false"#
    };
    out.extend_from_slice(end);
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    write_json(text, out);
    out.push(b'}');
}

/// Writing to a vector cannot fail, and neither texts nor content blocks have anything that JSON
/// does not; `null` keeps the message well-formed all the same.
pub(super) fn write_json<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// What a tool may return.
///
/// Text (`String`, `&'static str`), nothing (`()`), [`Content`] or a list of it, [`Json`] for
/// structured content, [`ToolResult`] for all of these together, and a `Result` of any of them
/// whose error converts into [`CallError`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool [elicit::11]",
    label = "not the result of a tool",
    note = "a tool returns text (`String`, `&'static str`), `()`, `Json<T>`, `Content`, `Vec<Content>` or `ToolResult`, alone or as `Result<_, CallError>`",
    note = "a secret is never the result of a tool, since the model would see it: return what was done with it"
)]
pub trait IntoReply {
    /// The schema of the structured content, if there always is some.
    #[doc(hidden)]
    fn output_schema() -> Option<schema::Schema> {
        None
    }

    /// The answer, or the error to report instead.
    ///
    /// # Errors
    ///
    /// The handler's own error, or that of a value that cannot be written as JSON.
    fn into_reply(self) -> Result<Reply, CallError>;
}

impl IntoReply for Reply {
    fn into_reply(self) -> Result<Reply, CallError> {
        Ok(self)
    }
}

impl IntoReply for String {
    fn into_reply(self) -> Result<Reply, CallError> {
        Ok(Reply::text(self))
    }
}

impl IntoReply for &'static str {
    fn into_reply(self) -> Result<Reply, CallError> {
        Ok(Reply::text(self))
    }
}

impl IntoReply for () {
    fn into_reply(self) -> Result<Reply, CallError> {
        Vec::new().into_reply()
    }
}

impl IntoReply for Content {
    fn into_reply(self) -> Result<Reply, CallError> {
        vec![self].into_reply()
    }
}

impl IntoReply for Vec<Content> {
    fn into_reply(self) -> Result<Reply, CallError> {
        Ok(Reply::tool(Blocks::Many(self), None, false))
    }
}

impl<R: IntoReply, E: IntoCallError> IntoReply for Result<R, E> {
    fn output_schema() -> Option<schema::Schema> {
        R::output_schema()
    }

    fn into_reply(self) -> Result<Reply, CallError> {
        self.map_err(IntoCallError::into_call_error)?.into_reply()
    }
}

/// Structured content: the value as JSON, its schema listed with the tool.
///
/// The same JSON is sent as a text block too, for clients that do not read structured content.
///
/// ```
/// use mcp_elicit::{Json, schemars, serde};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// # #[serde(crate = "mcp_elicit::serde")]
/// # #[schemars(crate = "mcp_elicit::schemars")]
/// struct Receipt {
///     /// Number of the order
///     order: u32,
/// }
///
/// /// Finish the order.
/// #[mcp_elicit::tool]
/// async fn finish() -> Json<Receipt> {
///     Json(Receipt { order: 7 })
/// }
/// # let _ = mcp_elicit::toolset![finish];
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is made and taken apart by its one field"
)]
pub struct Json<T>(pub T);

/// What [`Json`] can hold: anything with `serde::Serialize` and `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent as structured content [elicit::11]",
    label = "not `Serialize` and `JsonSchema`",
    note = "`Json<T>` needs `#[derive(serde::Serialize, schemars::JsonSchema)]` on `T`",
    note = "a type that holds a secret has neither, since the model would see it: return what was done with it"
)]
pub trait Structured: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> Structured for T {}

impl<T: Structured> IntoReply for Json<T> {
    fn output_schema() -> Option<schema::Schema> {
        Some(schema::of_output::<T>())
    }

    fn into_reply(self) -> Result<Reply, CallError> {
        let structured = serde_json::to_string(&self.0)?;
        Ok(Reply::tool(Blocks::Structured, Some(structured), false))
    }
}

/// A result put together by hand: content blocks, structured content and the mark of an error.
///
/// Use it where the outcome is not an error of the server but the model should know that the call
/// did not succeed, or where text and structured content differ.
///
/// ```
/// use mcp_elicit::{Content, ToolResult};
///
/// let declined = ToolResult::new()
///     .text("The card was declined; another one may work.")
///     .structured(&serde_json::json!({ "code": "card_declined" }))
///     .failed();
/// # let _ = (declined, Content::text(""));
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct ToolResult {
    content: Vec<Content>,
    structured: Option<Result<String, serde_json::Error>>,
    is_error: bool,
}

impl ToolResult {
    /// An empty result.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block.
    pub fn content(mut self, content: impl Into<Content>) -> Self {
        self.content.push(content.into());
        self
    }

    /// Adds a block of text.
    pub fn text(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.content(Content::text(text))
    }

    /// Sets the structured content. Unless a block of content is added too, its JSON is also sent
    /// as text. A value that cannot be written as JSON makes the call fail.
    pub fn structured<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        self.structured = Some(serde_json::to_string(value));
        self
    }

    /// Marks the result as a failure that the model should know of.
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }
}

impl IntoReply for ToolResult {
    fn into_reply(self) -> Result<Reply, CallError> {
        let structured = self.structured.transpose()?;
        let content = if self.content.is_empty() && structured.is_some() {
            Blocks::Structured
        } else {
            Blocks::Many(self.content)
        };
        Ok(Reply::tool(content, structured, self.is_error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(result: impl IntoReply) -> String {
        let reply = result.into_reply().unwrap();
        let mut out = b"{".to_vec();
        reply.write(&mut out);
        out.push(b'}');
        let text = String::from_utf8(out).unwrap();
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{text}"
        );
        text
    }

    fn texts(result: impl IntoReply) -> Vec<String> {
        let mut texts = Vec::new();
        let reply = result.into_reply().unwrap();
        reply.each_text(&mut |text| texts.push(text.to_owned()));
        texts
    }

    #[derive(Serialize, JsonSchema)]
    struct Receipt {
        order: u8,
    }

    #[test]
    fn text_is_escaped_as_json_wants_it() {
        assert_eq!(
            written("a \"b\"\n\u{1}\u{1f600}"),
            "{\"content\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\"\\n\\u0001\u{1f600}\"}],\"isError\":false}"
        );
        assert_eq!(written(String::from("x")), written("x"));
    }

    #[test]
    fn nothing_is_an_empty_list() {
        assert_eq!(written(()), r#"{"content":[],"isError":false}"#);
    }

    #[test]
    fn blocks_come_in_their_order() {
        assert_eq!(
            written(vec![Content::text("a"), Content::text("b").priority(1.0)]),
            r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","annotations":{"priority":1.0}}],"isError":false}"#
        );
    }

    #[test]
    fn structured_content_is_sent_as_text_too() {
        assert_eq!(
            written(Json(Receipt { order: 7 })),
            r#"{"content":[{"type":"text","text":"{\"order\":7}"}],"structuredContent":{"order":7},"isError":false}"#
        );
        assert_eq!(texts(Json(Receipt { order: 7 })), [r#"{"order":7}"#]);
    }

    #[test]
    fn a_result_by_hand_has_all_parts() {
        let result = ToolResult::new().text("no").structured(&7).failed();
        assert_eq!(
            written(result),
            r#"{"content":[{"type":"text","text":"no"}],"structuredContent":7,"isError":true}"#
        );
        let unwritable = std::collections::HashMap::from([((1, 2), 3)]);
        assert!(
            ToolResult::new()
                .structured(&unwritable)
                .into_reply()
                .is_err()
        );
    }

    #[test]
    fn an_error_of_the_handler_is_passed_on() {
        let error = Err::<String, _>("no").into_reply().unwrap_err();
        assert_eq!(error.told(), Some("no"));
    }
}
