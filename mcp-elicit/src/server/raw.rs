//! Tools whose schema is given as it is, and which read their arguments by themselves.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::refusal::BadArguments;
use super::reply::IntoReply;
use super::schema::Schema;
use super::tool::Tool;
use crate::CallError;
use crate::runtime::{Cx, HandlerFuture};

/// The arguments of a [`Tool::raw`], as the client sent them: an object, and nothing more is sure.
#[derive(Debug, Clone)]
pub struct RawArguments(Box<str>);

impl RawArguments {
    /// Their JSON text, to be handed on as it is.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// The arguments as a type, such as `serde_json::Value`.
    ///
    /// # Errors
    ///
    /// What does not fit, in words for the model, which may call again.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        serde_json::from_str(&self.0).map_err(|error| {
            CallError::from(format!(
                "The arguments do not fit. Correct them and call again.\n- {error}"
            ))
        })
    }
}

impl Tool {
    /// A tool whose schema is listed as it is given, such as one that passes calls on to another server.
    ///
    /// The schema is JSON text or a `serde_json::Value`, of which every keyword is kept; that it is an
    /// object's is checked when the server is built. **Arguments are not checked against it**: that they are
    /// an object is all that is sure when the handler begins. Check them there, or leave it to whom they
    /// are handed on to. Headers that `x-mcp-header` asks for are checked as for every tool.
    ///
    /// ```
    /// use mcp_elicit::{CallError, Cx, RawArguments, Tool};
    /// # async fn ask_other_server(_: &str) -> Result<String, CallError> { Ok(String::new()) }
    ///
    /// async fn pass_on(_: Cx, arguments: RawArguments) -> Result<String, CallError> {
    ///     ask_other_server(arguments.get()).await
    /// }
    ///
    /// let schema = r#"{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}"#;
    /// let tool = Tool::raw("square", "Square a number.", schema, pass_on).read_only(true);
    /// assert!(tool.listing().contains(schema));
    /// ```
    pub fn raw<R, W>(
        name: impl Into<std::borrow::Cow<'static, str>>,
        description: impl Into<std::borrow::Cow<'static, str>>,
        schema: impl Into<Schema>,
        run: impl Fn(Cx, RawArguments) -> W + Send + Sync + 'static,
    ) -> Self
    where
        R: IntoReply,
        W: Future<Output = R> + Send + 'static,
    {
        let handler = move |cx: Cx, arguments: Option<&RawValue>| -> Result<HandlerFuture, _> {
            let text = arguments.map_or("{}", RawValue::get);
            if !text.starts_with('{') {
                return Err(BadArguments::new("the arguments must be an object"));
            }
            let work = run(cx, RawArguments(text.into()));
            Ok(Box::pin(async move { work.await.into_reply() }))
        };
        let mut tool = Self::new(name, description, handler).input_schema(schema);
        tool.output_schema = R::output_schema();
        tool
    }
}
