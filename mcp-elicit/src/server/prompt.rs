//! Prompts: what is listed of one, and what runs when it is got (server/prompts).
//!
//! The macros make prompts of functions. What comes back is messages; a prompt asks and resumes as
//! a tool does.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::{CallError, IntoCallError};
use crate::runtime::{Cx, HandlerFuture};
use crate::wire::content::{Content, Role};

use super::common::{Common, Entry, common_settings};
use super::completion::Completer;
use super::refusal::BadArguments;
use super::reply::Reply;
use super::tool::Handler;

/// A prompt, put together. `#[prompt]` makes one of a function.
#[must_use]
pub struct Prompt {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) arguments: Vec<PromptArgument>,
    pub(crate) common: Common,
    pub(crate) handler: Box<dyn Handler>,
}

/// One argument of a prompt or variable of a resource's template.
#[derive(Debug)]
pub struct PromptArgument {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) required: bool,
    pub(crate) completer: Option<Completer>,
}

impl Prompt {
    /// A prompt without arguments, with a description for people.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        handler: impl Handler,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            arguments: Vec::new(),
            common: Common::default(),
            handler: Box::new(handler),
        }
    }

    /// The arguments. The handler itself has to read them.
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = PromptArgument>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    common_settings!();

    /// The name by which it is got.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The entry in the list of prompts, as JSON text. What is not given is left out.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut entry = Entry::new();
        entry.text("name", &self.name);
        entry.text("description", &self.description);
        if !self.arguments.is_empty() {
            let arguments = self.arguments.iter().map(PromptArgument::listing);
            entry.put("arguments", &arguments.collect::<Vec<_>>());
        }
        self.common.list(&mut entry);
        entry.finish()
    }

    /// Why the prompt must not be served, if there are reasons.
    pub(crate) fn faults(&self) -> Vec<String> {
        let name = &self.name;
        let mut faults = Vec::new();
        if name.trim().is_empty() {
            faults.push("a prompt has no name".to_owned());
        }
        if self.description.trim().is_empty() {
            faults.push(format!("the prompt `{name}` has no description"));
        }
        faults.extend(self.common.faults(&format!("the prompt `{name}`")));
        faults
    }
}

impl PromptArgument {
    /// An argument that must be given.
    #[must_use]
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            title: Cow::Borrowed(""),
            description: description.into(),
            required: true,
            completer: None,
        }
    }

    /// Its name as people should read it.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = title.into();
        self
    }

    /// The same, but it may be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// What the argument may be, for a client that shows suggestions.
    #[must_use]
    pub fn complete(mut self, completer: Completer) -> Self {
        self.completer = Some(completer);
        self
    }

    fn listing(&self) -> Value {
        let mut entry = json!({ "name": self.name, "required": self.required });
        if let Value::Object(entry) = &mut entry {
            for (key, text) in [("title", &self.title), ("description", &self.description)] {
                if !text.is_empty() {
                    entry.insert(key.into(), text.as_ref().into());
                }
            }
        }
        entry
    }
}

/// What a prompt gives: messages of the user and of the assistant.
///
/// ```
/// use mcp_elicit::{Content, Messages};
///
/// let messages = Messages::new()
///     .description("Review of a change")
///     .user("Review this change, please.")
///     .user(Content::image([0x89, b'P', b'N', b'G'], "image/png"))
///     .assistant("I will look at the tests first.");
/// # let _ = messages;
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct Messages {
    description: Option<String>,
    messages: Vec<(Role, Content)>,
}

impl Messages {
    /// No messages yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What these messages are for.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Adds a message of the user.
    pub fn user(self, content: impl Into<Content>) -> Self {
        self.message(Role::User, content)
    }

    /// Adds a message of the assistant.
    pub fn assistant(self, content: impl Into<Content>) -> Self {
        self.message(Role::Assistant, content)
    }

    /// Adds a message.
    pub fn message(mut self, role: Role, content: impl Into<Content>) -> Self {
        self.messages.push((role, content.into()));
        self
    }

    /// Appends `"description":..,"messages":[..]`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if let Some(description) = &self.description {
            out.extend_from_slice(br#""description":"#);
            super::reply::write_json(description, out);
            out.push(b',');
        }
        out.extend_from_slice(br#""messages":["#);
        for (i, (role, content)) in self.messages.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(br#"{"role":"#);
            super::reply::write_json(role, out);
            out.extend_from_slice(br#","content":"#);
            super::reply::write_json(content, out);
            out.push(b'}');
        }
        out.push(b']');
    }

    /// Shows every text that [`write`](Self::write) would send.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        self.description.as_deref().into_iter().for_each(&mut *see);
        self.messages.iter().for_each(|(_, it)| it.each_text(see));
    }
}

/// What a prompt may return: [`Messages`], or a text, which is one message of the user.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt [elicit::11]",
    label = "not the result of a prompt",
    note = "a prompt returns `Messages`, or a text (`String`, `&'static str`) that is one message of the user, alone or as `Result<_, CallError>`"
)]
pub trait IntoMessages {
    /// The messages, or the error to report instead.
    ///
    /// # Errors
    ///
    /// The handler's own error.
    fn into_messages(self) -> Result<Messages, CallError>;
}

impl IntoMessages for Messages {
    fn into_messages(self) -> Result<Messages, CallError> {
        Ok(self)
    }
}

impl IntoMessages for String {
    fn into_messages(self) -> Result<Messages, CallError> {
        Ok(Messages::new().user(self))
    }
}

impl IntoMessages for &'static str {
    fn into_messages(self) -> Result<Messages, CallError> {
        Ok(Messages::new().user(self))
    }
}

impl<M: IntoMessages, E: IntoCallError> IntoMessages for Result<M, E> {
    fn into_messages(self) -> Result<Messages, CallError> {
        self.map_err(IntoCallError::into_call_error)?
            .into_messages()
    }
}

/// A prompt of a handler. What it returns is needed here alone, so that a type which cannot be
/// returned is reported once.
#[doc(hidden)]
pub fn make_prompt<R, W, F>(name: &'static str, description: &'static str, start: F) -> Prompt
where
    R: IntoMessages,
    W: Future<Output = R> + Send + 'static,
    F: Fn(Cx, Option<&RawValue>) -> Result<W, BadArguments> + Send + Sync + 'static,
{
    let handler = move |cx: Cx, arguments: Option<&RawValue>| -> Result<HandlerFuture, _> {
        let work = start(cx, arguments)?;
        Ok(Box::pin(async move {
            work.await.into_messages().map(Reply::messages)
        }))
    };
    Prompt::new(name, description, handler)
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
