//! A tool: what is listed of it, and what runs when it is called.
//!
//! The macros make tools of functions; one that is known only at run time is put together by hand
//! from a [`Handler`]. It uses schemas, arguments and replies, and does not know how calls come in.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::CallError;
use crate::declare::Declaration;
use crate::runtime::{Cx, HandlerFuture, Need};

use super::common::{Common, Entry, common_settings};
use super::prompt::Prompt;
use super::refusal::BadArguments;
use super::repeated;
use super::reply::IntoReply;
use super::resource::Resource;
use super::schema::Schema;

/// What runs when a tool is called.
///
/// The macros write it. By hand it is a closure that reads the arguments and gives back the future
/// that does the work, such as one that passes the call on to another server.
pub trait Handler: Send + Sync + 'static {
    /// Reads the arguments and starts the call.
    ///
    /// # Errors
    ///
    /// Arguments that do not fit, before anything has run.
    fn start(&self, cx: Cx, arguments: Option<&RawValue>) -> Result<HandlerFuture, BadArguments>;
}

impl<F> Handler for F
where
    F: Fn(Cx, Option<&RawValue>) -> Result<HandlerFuture, BadArguments> + Send + Sync + 'static,
{
    fn start(&self, cx: Cx, arguments: Option<&RawValue>) -> Result<HandlerFuture, BadArguments> {
        self(cx, arguments)
    }
}

/// Something that brings tools: a value whose methods `#[tools]` made tools of, what
/// [`toolset!`](crate::toolset!) gives, or tools put together by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools [elicit::11]",
    label = "not a provider of tools",
    note = "put `#[tools]` on the `impl` block whose methods are the tools, or list free `#[tool]` functions as `toolset![a, b]`"
)]
pub trait IntoTools {
    /// The tools and what else there is, in the order in which they are listed.
    fn into_tools(self) -> Toolset;
}

/// Tools, and the prompts and resources beside them.
///
/// ```
/// use mcp_elicit::{prompt, resource, tool, toolset};
///
/// /// Give the text back.
/// #[tool]
/// async fn echo(text: String) -> String {
///     text
/// }
///
/// /// Greet somebody.
/// #[prompt]
/// async fn greet(name: String) -> String {
///     format!("Say hello to {name}.")
/// }
///
/// /// What is served here.
/// #[resource("about://this")]
/// async fn about() -> &'static str {
///     "an example"
/// }
///
/// let all = toolset![echo, greet, about];
/// assert_eq!((all.tools.len(), all.prompts.len(), all.resources.len()), (1, 1, 1));
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use]
pub struct Toolset {
    /// The tools.
    pub tools: Vec<Tool>,
    /// The prompts.
    pub prompts: Vec<Prompt>,
    /// The resources and templates of resources.
    pub resources: Vec<Resource>,
}

impl Toolset {
    /// Adds what `more` brings.
    pub fn add(&mut self, more: impl IntoTools) {
        let more = more.into_tools();
        self.tools.extend(more.tools);
        self.prompts.extend(more.prompts);
        self.resources.extend(more.resources);
    }
}

impl Toolset {
    /// Why this must not be served, if there are reasons.
    pub(crate) fn faults(&self) -> Vec<String> {
        let tools = self.tools.iter().flat_map(Tool::faults);
        let prompts = self.prompts.iter().flat_map(Prompt::faults);
        let resources = self.resources.iter().flat_map(Resource::faults);
        tools.chain(prompts).chain(resources).collect()
    }

    /// All questions that may be asked.
    pub(crate) fn asks(&self) -> impl Iterator<Item = &'static Declaration> {
        let tools = self.tools.iter().map(|it| &it.common);
        let prompts = self.prompts.iter().map(|it| &it.common);
        let resources = self.resources.iter().map(|it| &it.common);
        let all = tools.chain(prompts).chain(resources);
        all.flat_map(|it| &it.asks).filter_map(Need::declaration)
    }
}

impl IntoTools for Toolset {
    fn into_tools(self) -> Toolset {
        self
    }
}

impl IntoTools for Tool {
    fn into_tools(self) -> Toolset {
        vec![self].into_tools()
    }
}

impl IntoTools for Vec<Tool> {
    fn into_tools(self) -> Toolset {
        Toolset {
            tools: self,
            ..Toolset::default()
        }
    }
}

impl IntoTools for Prompt {
    fn into_tools(self) -> Toolset {
        Toolset {
            prompts: vec![self],
            ..Toolset::default()
        }
    }
}

impl IntoTools for Resource {
    fn into_tools(self) -> Toolset {
        Toolset {
            resources: vec![self],
            ..Toolset::default()
        }
    }
}

/// A tool, put together.
///
/// ```
/// use mcp_elicit::{BadArguments, Cx, HandlerFuture, Tool};
/// use mcp_elicit::serde_json::{json, value::RawValue};
///
/// fn mirror(cx: Cx, arguments: Option<&RawValue>) -> Result<HandlerFuture, BadArguments> {
///     let text = arguments.map_or("{}", RawValue::get).to_owned();
///     Ok(Box::pin(async move {
///         let _ = cx;
///         Ok(mcp_elicit::Reply::text(text))
///     }))
/// }
///
/// let tool = Tool::new("mirror", "Give the arguments back.", mirror)
///     .input_schema(json!({ "type": "object" }))
///     .read_only(true);
/// assert_eq!(tool.name(), "mirror");
/// ```
#[must_use]
pub struct Tool {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) input_schema: Schema,
    pub(crate) output_schema: Option<Schema>,
    pub(crate) annotations: Annotations,
    pub(crate) common: Common,
    handler: Box<dyn Handler>,
}

/// Hints about what a tool does; a client need not believe them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Annotations {
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl Tool {
    /// A tool that takes any object, with a description for the model.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        handler: impl Handler,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: Schema::new(serde_json::json!({ "type": "object" })),
            output_schema: None,
            annotations: Annotations::default(),
            common: Common::default(),
            handler: Box::new(handler),
        }
    }

    /// The schema of the arguments, an object's. The handler itself has to hold to it.
    pub fn input_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.input_schema = schema.into();
        self
    }

    /// The schema of the structured content. Every result that is no error must have some.
    pub fn output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// Whether the tool changes nothing.
    pub fn read_only(mut self, yes: bool) -> Self {
        self.annotations.read_only_hint = Some(yes);
        self
    }

    /// Whether what it changes may be lost. Clients assume so unless told otherwise.
    pub fn destructive(mut self, yes: bool) -> Self {
        self.annotations.destructive_hint = Some(yes);
        self
    }

    /// Whether a second call with the same arguments changes nothing more.
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.annotations.idempotent_hint = Some(yes);
        self
    }

    /// Whether it deals with things outside the server's own. Clients assume so unless told
    /// otherwise.
    pub fn open_world(mut self, yes: bool) -> Self {
        self.annotations.open_world_hint = Some(yes);
        self
    }

    common_settings!();

    /// The name by which it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entry in the list of tools, as JSON text. What is not given is left out.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut entry = Entry::new();
        entry.text("name", &self.name);
        entry.text("description", &self.description);
        entry.json("inputSchema", &self.input_schema.to_json());
        if let Some(schema) = &self.output_schema {
            entry.json("outputSchema", &schema.to_json());
        }
        if self.annotations != Annotations::default() {
            entry.put("annotations", &self.annotations);
        }
        self.common.list(&mut entry);
        entry.finish()
    }

    /// Reads the arguments and starts the call; what does not fit is told in terms of the schema.
    ///
    /// # Errors
    ///
    /// Arguments that do not fit, before anything has run.
    pub fn start(
        &self,
        cx: Cx,
        arguments: Option<&RawValue>,
    ) -> Result<HandlerFuture, BadArguments> {
        let started = self.handler.start(cx, arguments);
        started.map_err(|refusal| refusal.explain(&self.input_schema.value, arguments))
    }

    /// Why the tool must not be served, if there are reasons. The macros leave none; a tool made
    /// by hand may have some.
    pub(crate) fn faults(&self) -> Vec<String> {
        let name = &self.name;
        let mut faults = Vec::new();
        let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        if name.is_empty() || name.len() > 128 || !name.bytes().all(is_allowed) {
            faults.push(format!(
                "the tool name `{name}` is not 1 to 128 of A-Z a-z 0-9 _ - ."
            ));
        }
        if self.description.trim().is_empty() {
            faults.push(format!("the tool `{name}` has no description"));
        }
        let output = self.output_schema.as_ref();
        for (schema, of) in [
            (Some(&self.input_schema), "arguments"),
            (output, "structured content"),
        ] {
            if let Some(why) = schema.and_then(Schema::fault) {
                faults.push(format!("the schema of the {of} of the tool `{name}` {why}"));
            }
        }
        if self.input_schema.value.get("type").and_then(Value::as_str) != Some("object") {
            faults.push(format!(
                "the arguments of the tool `{name}` are not an object"
            ));
        }
        if let Err(found) = repeated::of_schema(&self.input_schema.value) {
            let of_tool = |fault| format!("the tool `{name}`: {fault}");
            faults.extend(found.into_iter().map(of_tool));
        }
        faults.extend(self.common.faults(&format!("the tool `{name}`")));
        faults
    }
}

/// A tool of a handler. What it returns is needed here alone, so that a type which cannot be
/// returned is reported once.
#[doc(hidden)]
pub fn make<R, W, F>(name: &'static str, description: &'static str, start: F) -> Tool
where
    R: IntoReply,
    W: Future<Output = R> + Send + 'static,
    F: Fn(Cx, Option<&RawValue>) -> Result<W, BadArguments> + Send + Sync + 'static,
{
    let handler = move |cx: Cx, arguments: Option<&RawValue>| -> Result<HandlerFuture, _> {
        let work = start(cx, arguments)?;
        Ok(Box::pin(async move { work.await.into_reply() }))
    };
    let mut tool = Tool::new(name, description, handler);
    tool.output_schema = R::output_schema();
    tool
}

/// A tool of a handler that has parameters which the user completes, so that there may be an error
/// before it starts.
#[doc(hidden)]
pub fn make_filling<R, W, F>(name: &'static str, description: &'static str, start: F) -> Tool
where
    R: IntoReply,
    W: Future<Output = Result<R, CallError>> + Send + 'static,
    F: Fn(Cx, Option<&RawValue>) -> Result<W, BadArguments> + Send + Sync + 'static,
{
    let handler = move |cx: Cx, arguments: Option<&RawValue>| -> Result<HandlerFuture, _> {
        let work = start(cx, arguments)?;
        Ok(Box::pin(async move { work.await?.into_reply() }))
    };
    let mut tool = Tool::new(name, description, handler);
    tool.output_schema = R::output_schema();
    tool
}

/// What `#[tool]`, `#[prompt]` and `#[resource]` make beside a function: a type of the same name that
/// knows what it is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[tool]`, `#[prompt]` or `#[resource]` function [elicit::11]",
    label = "not such a function",
    note = "`toolset!` lists free functions; a value whose methods are tools goes into `.tools(..)` itself"
)]
#[doc(hidden)]
pub trait FreeTool {
    /// Adds it; nothing if the function has a fault, which the compiler has told already.
    fn add_to(all: &mut Toolset);
}

/// What these functions are.
#[doc(hidden)]
pub fn listed<const N: usize>(functions: [fn(&mut Toolset); N]) -> Toolset {
    let mut all = Toolset::default();
    for add in functions {
        add(&mut all);
    }
    all
}

/// Lists free `#[tool]`, `#[prompt]` and `#[resource]` functions, for [`Server::tools`](crate::Server::tools).
///
/// ```
/// use mcp_elicit::{IntoTools, tool, toolset};
///
/// mod weather {
///     /// Tell today's weather.
///     #[mcp_elicit::tool]
///     pub async fn today() -> &'static str {
///         "sunny"
///     }
/// }
///
/// /// Give the text back.
/// #[tool]
/// async fn echo(text: String) -> String {
///     text
/// }
///
/// let tools = toolset![echo, weather::today];
/// assert_eq!(tools.tools.len(), 2);
/// ```
#[macro_export]
macro_rules! toolset {
    ($($tool:path),* $(,)?) => {
        $crate::__private::tool::listed([$(<$tool as $crate::__private::tool::FreeTool>::add_to),*])
    };
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
