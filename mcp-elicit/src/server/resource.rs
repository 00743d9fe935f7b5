//! Resources: what is listed of one or of a template, and what runs when one is read
//! (server/resources).

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{CallError, IntoCallError};
use crate::runtime::{Cx, HandlerFuture};
use crate::wire::content::{Annotations, Role, annotation_settings};
use crate::wire::resource::ResourceContents;

use super::common::{Common, Entry, common_settings};
use super::completion::Completer;
use super::prompt::PromptArgument;
use super::refusal::BadArguments;
use super::reply::{Json, Reply};
use super::template::Template;
use super::tool::Handler;

/// A resource or a template of resources, put together. `#[resource]` makes one of a function.
#[must_use]
pub struct Resource {
    pub(crate) uri: Cow<'static, str>,
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) mime: Option<Cow<'static, str>>,
    pub(crate) variables: Vec<PromptArgument>,
    pub(crate) caching: Caching,
    pub(crate) common: Common,
    annotations: Annotations,
    size: Option<u64>,
    pub(crate) template: Result<Template, &'static str>,
    pub(crate) handler: Box<dyn Handler>,
}

impl Resource {
    /// The resource `uri`, or all that a template such as `hr://checklist/{employee}` describes.
    ///
    /// `{name}` stands for one segment, `{+name}` for the rest of a path; the values come without
    /// their percent encoding, and a URI whose values would lead elsewhere, such as by `..`, is not
    /// found.
    pub fn new(
        uri: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        handler: impl Handler,
    ) -> Self {
        let uri = uri.into();
        Self {
            template: Template::parse(&uri),
            uri,
            name: name.into(),
            description: Cow::Borrowed(""),
            mime: None,
            variables: Vec::new(),
            caching: Caching::default(),
            common: Common::default(),
            annotations: Annotations::default(),
            size: None,
            handler: Box::new(handler),
        }
    }

    /// What it is.
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = description.into();
        self
    }

    /// The type of the contents, such as `text/markdown`.
    pub fn mime_type(mut self, mime: impl Into<Cow<'static, str>>) -> Self {
        self.mime = Some(mime.into());
        self
    }

    /// What the variables of the template may be, for a client that shows suggestions.
    pub fn variables(mut self, variables: impl IntoIterator<Item = PromptArgument>) -> Self {
        self.variables.extend(variables);
        self
    }

    /// How many bytes the contents have, before any encoding. A template has none.
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// How long a client may keep what it has read. Zero, as it is unless you say otherwise, is not at
    /// all. What was read after the user was asked is never kept.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.caching.ttl = millis(ttl);
        self
    }

    /// Says that what is read is the same for everybody, so that a proxy may keep it for all
    /// (`cacheScope: "public"`). Never say so of what depends on who reads. It has no effect together with
    /// [`only_if`](Self::only_if).
    pub fn shared(mut self) -> Self {
        self.caching.shared = true;
        self
    }

    annotation_settings!("resource");
    common_settings!();

    /// Its URI, or the template of its URIs.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Whether it stands for many resources.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.template.as_ref().is_ok_and(|it| !it.is_plain())
    }

    /// The entry in the list of resources or of templates, as JSON text. What is not given is left
    /// out.
    #[must_use]
    pub fn listing(&self) -> String {
        let key = if self.is_template() {
            "uriTemplate"
        } else {
            "uri"
        };
        let mut entry = Entry::new();
        entry.text(key, &self.uri);
        entry.text("name", &self.name);
        entry.text("description", &self.description);
        entry.text("mimeType", self.mime.as_deref().unwrap_or_default());
        if let (Some(size), false) = (self.size, self.is_template()) {
            entry.put("size", &size);
        }
        if !self.annotations.is_empty() {
            entry.put("annotations", &self.annotations);
        }
        self.common.list(&mut entry);
        entry.finish()
    }

    /// For how long, and for whom, what is read of it may be kept.
    pub(crate) fn caching(&self) -> Caching {
        Caching {
            shared: self.caching.shared && !self.common.visible.is_limited(),
            ..self.caching
        }
    }

    /// Why the resource must not be served, if there are reasons.
    pub(crate) fn faults(&self) -> Vec<String> {
        let uri = &self.uri;
        let mut faults = Vec::new();
        if let Err(why) = &self.template {
            faults.push(format!("the resource `{uri}` {why}"));
        }
        let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
        let is_scheme = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_scheme)
        {
            faults.push(format!(
                "the resource `{uri}` needs a scheme, such as `hr://checklist`"
            ));
        }
        if self.name.trim().is_empty() {
            faults.push(format!("the resource `{uri}` has no name"));
        }
        faults.extend(self.common.faults(&format!("the resource `{uri}`")));
        faults
    }
}

/// For how long, and for whom, a client may keep what it has read. Unless the author says otherwise it is
/// not kept: it may be the user's own, and the next read may find another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Caching {
    /// In milliseconds.
    pub(crate) ttl: u64,
    pub(crate) shared: bool,
}

/// Milliseconds, as many as every client can count.
pub(crate) fn millis(time: Duration) -> u64 {
    let most = (1 << 53) - 1;
    u64::try_from(time.as_millis()).map_or(most, |it| it.min(most))
}

/// A resource that does not exist, as the error of a resource's handler.
///
/// ```
/// use mcp_elicit::{CallError, NotFound};
///
/// fn checklist(employee: &str) -> Result<String, CallError> {
///     if employee != "ada" {
///         return Err(NotFound.into());
///     }
///     Ok("- [ ] keys".to_owned())
/// }
/// # assert!(checklist("eve").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say of it")]
pub struct NotFound;

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resource not found.")
    }
}

impl std::error::Error for NotFound {}

/// What a resource may return: text, bytes, [`Json`], or [`ResourceContents`] by hand, also several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource [elicit::11]",
    label = "not the contents of a resource",
    note = "a resource returns text (`String`, `&'static str`), bytes (`Vec<u8>`), `Json<T>`, `ResourceContents` or a `Vec` of it, alone or as `Result<_, CallError>`"
)]
pub trait IntoContents {
    /// The contents of the resource `uri`, or the error to report instead.
    ///
    /// # Errors
    ///
    /// The handler's own error, or that of a value that cannot be written as JSON.
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError>;
}

impl IntoContents for String {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        Ok(vec![ResourceContents::text(uri, self)])
    }
}

impl IntoContents for &'static str {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        Ok(vec![ResourceContents::text(uri, self)])
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        Ok(vec![ResourceContents::bytes(uri, self)])
    }
}

impl<T: Serialize> IntoContents for Json<T> {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        let json = serde_json::to_string(&self.0)?;
        Ok(vec![
            ResourceContents::text(uri, json).mime_type("application/json"),
        ])
    }
}

impl IntoContents for ResourceContents {
    fn into_contents(self, _: &str) -> Result<Vec<ResourceContents>, CallError> {
        Ok(vec![self])
    }
}

impl IntoContents for Vec<ResourceContents> {
    fn into_contents(self, _: &str) -> Result<Vec<ResourceContents>, CallError> {
        Ok(self)
    }
}

impl<C: IntoContents, E: IntoCallError> IntoContents for Result<C, E> {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, CallError> {
        self.map_err(IntoCallError::into_call_error)?
            .into_contents(uri)
    }
}

/// A resource of a handler. What it returns is needed here alone, so that a type which cannot be
/// returned is reported once.
#[doc(hidden)]
pub fn make_resource<R, W, F>(
    uri: &'static str,
    name: &'static str,
    mime: Option<&'static str>,
    start: F,
) -> Resource
where
    R: IntoContents,
    W: Future<Output = R> + Send + 'static,
    F: Fn(Cx, Option<&RawValue>) -> Result<W, BadArguments> + Send + Sync + 'static,
{
    let handler = move |cx: Cx, arguments: Option<&RawValue>| -> Result<HandlerFuture, _> {
        let uri = cx.uri().to_owned();
        let work = start(cx, arguments)?;
        Ok(Box::pin(async move {
            let contents = work.await.into_contents(&uri)?;
            let mut contents = contents.into_iter().map(|it| it.or_mime_type(mime));
            Ok(Reply::contents(contents.by_ref().collect()))
        }))
    };
    let mut resource = Resource::new(uri, name, handler);
    resource.mime = mime.map(Cow::Borrowed);
    resource
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

/// The completer of a variable, if it has one.
pub(crate) fn completer<'a>(variables: &'a [PromptArgument], name: &str) -> Option<&'a Completer> {
    let found = variables.iter().find(|it| it.name == name)?;
    found.completer.as_ref()
}
