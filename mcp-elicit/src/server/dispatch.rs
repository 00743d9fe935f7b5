//! One message in, one reply out.
//!
//! It does no I/O of its own: the transport hands it bytes and what it knows about the sender, and
//! gets bytes back.

use std::future::poll_fn;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use axum::body::Bytes;
use axum::http::HeaderMap;

use super::app::Inner;
use super::call;
use super::completion::{self, Completing};
use super::listen;
use super::listing::Listing;
use super::mirror::{self, Mirrored};
use super::registry::Registry;
use crate::auth::Principal;
use crate::runtime::LogLevel;
use crate::runtime::outlet::Outlet;
use crate::runtime::run::Base;
use crate::wire::REVISION;
use crate::wire::error::RpcError;
use crate::wire::message::{Capabilities, Id, Message, Meta, Params, parse};
use crate::wire::object::Text;

/// One message and where it came from.
pub(crate) struct Incoming<'a> {
    pub(crate) body: &'a Bytes,
    /// The headers that repeat parts of the body; `None` on transports that have none.
    pub(crate) mirrored: Option<Mirrored<'a>>,
    pub(crate) principal: Principal,
    pub(crate) base: Base,
    /// Where messages go that come before the reply; `None` where there can be none.
    pub(crate) outlet: Option<Arc<Outlet>>,
}

/// What goes back. An empty body goes with a notification.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Outgoing {
    fn error(id: Option<&str>, error: &RpcError) -> Self {
        let mut body = Vec::with_capacity(192);
        error.write(id, &mut body);
        Self {
            status: error.status,
            body,
        }
    }
}

/// A request that has passed the checks of its envelope.
pub(crate) struct Request<'a> {
    pub(crate) body: &'a Bytes,
    pub(crate) params: Params<'a>,
    pub(crate) capabilities: Capabilities,
    pub(crate) principal: Principal,
    pub(crate) base: Base,
    pub(crate) outlet: Option<Arc<Outlet>>,
    /// The least severe log messages that the client wants.
    pub(crate) level: Option<LogLevel>,
    /// Where the transport has headers, these.
    pub(crate) headers: Option<&'a HeaderMap>,
}

/// Answers one message.
pub(crate) async fn dispatch(app: &Arc<Inner>, incoming: Incoming<'_>) -> Outgoing {
    let opened = match open(app, incoming) {
        Ok(opened) => opened,
        Err(reply) => return reply,
    };
    let (id, method) = (opened.id, &*opened.method);
    if let ("subscriptions/listen", Some(outlet)) = (method, &opened.request.outlet) {
        // Boxed, so that calls need not carry the room for it.
        let listening = Box::pin(listen::listen(app, id, &opened.request, outlet));
        return match listening.await {
            Ok(body) => Outgoing { status: 200, body },
            Err(error) => Outgoing::error(Some(id.as_json()), &error),
        };
    }
    let registry = app.registry.load();
    let mut out = Vec::with_capacity(app.room(&registry, method));
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(b",\"result\":{\"resultType\":");
    let routed = {
        let work = std::pin::pin!(route(app, &registry, method, &opened.request, &mut out));
        unless_it_panics(app, work).await
    };
    match routed {
        Ok(()) => {
            out.push(b',');
            out.extend_from_slice(app.meta(method).as_bytes());
            out.extend_from_slice(b"}}");
            Outgoing {
                status: 200,
                body: out,
            }
        }
        Err(error) => Outgoing::error(Some(id.as_json()), &error),
    }
}

/// What `work` comes to. Panics of handlers are caught where these are polled; this is for what else an
/// author has written, such as a `Drop` of what a handler keeps, or the `Debug` of its error. The client
/// is told in either case, also where a stream has begun.
async fn unless_it_panics(
    app: &Inner,
    mut work: Pin<&mut impl Future<Output = Result<(), RpcError>>>,
) -> Result<(), RpcError> {
    poll_fn(|cx| {
        let poll = || work.as_mut().poll(cx);
        catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
            let id: [u8; 4] = app.services.ambient.random();
            let id = format!("{:08x}", u32::from_be_bytes(id));
            // Its text may hold anything that was said in the call.
            tracing::error!(%id, "a request ended in a panic outside of its handler, such as in a `Drop` or `Debug`");
            Poll::Ready(Err(RpcError::internal(&id)))
        })
    })
    .await
}

/// A request and what its reply has to name.
struct Opened<'a> {
    id: Id<'a>,
    method: Text<'a>,
    request: Request<'a>,
}

/// Reads a message and checks its envelope; what has no result is answered here.
fn open<'a>(app: &Inner, incoming: Incoming<'a>) -> Result<Opened<'a>, Outgoing> {
    let body = incoming.body;
    let message = parse(body, app.services.limits.depth)
        .map_err(|(id, error)| Outgoing::error(id.as_deref(), &error))?;
    let id = match envelope(&message) {
        Ok(Some(id)) => id,
        // A notification of this revision has no effect over HTTP; it is accepted all the same.
        Ok(None) => {
            return Err(Outgoing {
                status: 202,
                body: Vec::new(),
            });
        }
        Err(error) => {
            let id = message.id.and_then(|raw| raw.0).and_then(Id::of);
            return Err(Outgoing::error(id.map(Id::as_json), &error));
        }
    };
    let method = message.method.unwrap_or_default();
    let params = message.params.unwrap_or_default();
    let (mut capabilities, level) = metadata(&method, &params, incoming.mirrored.as_ref())
        .map_err(|error| Outgoing::error(Some(id.as_json()), &error))?;
    if !app.unable.is_empty() && is_named(&params, &app.unable) {
        (capabilities.form, capabilities.url) = (false, false);
    }
    Ok(Opened {
        id,
        method,
        request: Request {
            body,
            params,
            capabilities,
            principal: incoming.principal,
            base: incoming.base,
            outlet: incoming.outlet,
            level,
            headers: incoming.mirrored.and_then(|it| it.all),
        },
    })
}

/// Appends the result after `"resultType":`, without its `_meta`.
async fn route(
    app: &Arc<Inner>,
    registry: &Registry,
    method: &str,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let offers = registry.offers;
    let called = match method {
        "tools/call" => call::tool(registry, request)?,
        "prompts/get" if offers.prompts => call::prompt(registry, request)?,
        "resources/read" if offers.resources => call::resource(registry, request)?,
        // Boxed, so that calls need not carry the room for it.
        "completion/complete" if offers.completions => {
            return Box::pin(complete(app, registry, request, out)).await;
        }
        _ => return fixed(app, registry, method, request, out),
    };
    call::run(app, request, called, out).await
}

/// The same for what was made with the registry.
fn fixed(
    app: &Inner,
    registry: &Registry,
    method: &str,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let (offers, lists) = (registry.offers, &registry.lists);
    match method {
        "tools/list" => list(app, &lists.tools, request, out),
        "prompts/list" if offers.prompts => list(app, &lists.prompts, request, out),
        "resources/list" if offers.resources => list(app, &lists.resources, request, out),
        "resources/templates/list" if offers.resources => list(app, &lists.templates, request, out),
        "server/discover" => {
            out.extend_from_slice(registry.discover.as_bytes());
            Ok(())
        }
        _ => Err(RpcError::method_not_found()),
    }
}

/// Appends a page of a list.
fn list(
    app: &Inner,
    listing: &Listing,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let cursor = match request.params.cursor.and_then(|c| c.some()) {
        None => None,
        Some(json) => Some(
            serde_json::from_str::<Text<'_>>(json)
                .map_err(|_| RpcError::invalid_params("`params.cursor` must be a string."))?,
        ),
    };
    let keys = &app.services.keys;
    listing.write(cursor.as_deref(), &request.principal, keys, out)
}

/// Appends suggestions for an argument (server/utilities/completion).
async fn complete(
    app: &Arc<Inner>,
    registry: &Registry,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let missing = |what: &str| RpcError::invalid_params(format!("`params.{what}` is missing."));
    let params = &request.params;
    let reference = params.reference.as_ref().ok_or_else(|| missing("ref"))?;
    let argument = params
        .argument
        .as_ref()
        .ok_or_else(|| missing("argument"))?;
    let name = argument
        .name
        .as_deref()
        .ok_or_else(|| missing("argument.name"))?;
    let completer = match reference.kind.as_deref() {
        Some("ref/prompt") => {
            let prompt = reference
                .name
                .as_deref()
                .ok_or_else(|| missing("ref.name"))?;
            registry.of_prompt(prompt, name, &request.principal)
        }
        Some("ref/resource") => {
            let uri = reference.uri.as_deref().ok_or_else(|| missing("ref.uri"))?;
            registry.of_template(uri, name, &request.principal)
        }
        _ => {
            return Err(RpcError::invalid_params(
                "`params.ref.type` must be \"ref/prompt\" or \"ref/resource\".",
            ));
        }
    };
    let Some(completer) = completer else {
        return Err(RpcError::invalid_params(
            "There is no such prompt or resource.",
        ));
    };
    let values = match completer {
        None => Vec::new(),
        Some(completer) => {
            let chosen = params.context.as_ref().and_then(|it| it.arguments?.some());
            let completing = Completing {
                typed: argument.value.as_deref().unwrap_or_default().to_owned(),
                arguments: chosen
                    .and_then(|json| serde_json::from_str(json).ok())
                    .unwrap_or_default(),
                principal: request.principal.clone(),
            };
            let most = app.services.limits.handler;
            match completer.complete(completing, most).await {
                Some(values) => values,
                None => {
                    let id: [u8; 4] = app.services.ambient.random();
                    let id = format!("{:08x}", u32::from_be_bytes(id));
                    tracing::error!(%id, "suggestions could not be made: their function panicked or ran longer than the limit `handler`");
                    return Err(RpcError::internal(&id));
                }
            }
        }
    };
    completion::write(&values, out);
    Ok(())
}

/// Checks the envelope. `None` for a notification.
fn envelope<'a>(message: &Message<'a>) -> Result<Option<Id<'a>>, RpcError> {
    if message.jsonrpc.as_deref() != Some("2.0") {
        return Err(RpcError::invalid_request("`jsonrpc` must be \"2.0\"."));
    }
    if message.result.is_some() || message.error.is_some() {
        return Err(RpcError::invalid_request(
            "Responses are not taken: this server sends no requests.",
        ));
    }
    if message.method.is_none() {
        return Err(RpcError::invalid_request("`method` must be a string."));
    }
    match message.id.and_then(|id| id.0) {
        None => Ok(None),
        Some(raw) => Id::of(raw)
            .map(Some)
            .ok_or_else(|| RpcError::invalid_request("`id` must be a string or an integer.")),
    }
}

/// Checks what every request says about itself, in its headers and in `_meta`.
fn metadata(
    method: &str,
    params: &Params<'_>,
    mirrored: Option<&Mirrored<'_>>,
) -> Result<(Capabilities, Option<LogLevel>), RpcError> {
    let meta = params.meta.as_ref();
    let version = meta.and_then(|m| m.version.as_deref());
    if let Some(mirrored) = mirrored {
        mirror::version(mirrored, version)?;
    }
    let version = version.ok_or_else(|| match method {
        "initialize" => too_old(params),
        _ => missing_meta("protocolVersion"),
    })?;
    // Another revision may have other members: what is missing by this one says nothing.
    if version != REVISION {
        return Err(RpcError::unsupported_version(version));
    }
    let declared = meta.and_then(|m| m.capabilities.as_ref());
    let declared = declared.ok_or_else(|| missing_meta("clientCapabilities"))?;
    if let Some(mirrored) = mirrored {
        mirror::method_and_name(mirrored, method, params)?;
    }
    let token = meta.and_then(|m| m.progress?.value());
    if token.is_some_and(|token| Id::of(token).is_none()) {
        return Err(RpcError::invalid_params(
            "`params._meta.progressToken` must be a string or an integer.",
        ));
    }
    Ok((Capabilities::of(declared), level(meta)?))
}

/// The least severe log messages that the client wants (server/utilities/logging).
fn level(meta: Option<&Meta<'_>>) -> Result<Option<LogLevel>, RpcError> {
    let Some(level) = meta.and_then(|m| m.log).and_then(|level| level.some()) else {
        return Ok(None);
    };
    let level = serde_json::from_str::<Text<'_>>(level).ok();
    let level = level.and_then(|level| LogLevel::of(&level));
    level.map(Some).ok_or_else(|| {
        RpcError::invalid_params(
            "`params._meta.io.modelcontextprotocol/logLevel` must be one of debug, info, notice, warning, \
             error, critical, alert and emergency.",
        )
    })
}

/// An older client begins with `initialize`, and can show its user what it is told now
/// (basic/versioning, "Backward Compatibility").
fn too_old(params: &Params<'_>) -> RpcError {
    let version = params.version.and_then(|it| it.some());
    let version = version.and_then(|json| serde_json::from_str::<Text<'_>>(json).ok());
    RpcError::unsupported_version(version.as_deref().unwrap_or_default())
}

fn missing_meta(what: &str) -> RpcError {
    RpcError::invalid_params(format!(
        "`params._meta` needs `io.modelcontextprotocol/{what}`; this server speaks revision {REVISION}."
    ))
    .bad_request()
}

/// Where in the body the arguments are.
pub(crate) fn range_in(body: &Bytes, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    let range = start..start.checked_add(part.len())?;
    body.get(range.clone()).map(|_| range)
}

/// Where in the body the client names itself.
pub(crate) fn client_name(body: &Bytes, params: &Params<'_>) -> Option<Range<usize>> {
    let name = params.meta.as_ref()?.client.as_ref()?.name?.0?;
    range_in(body, name.get())
}

/// Whether the client calls itself by one of these names.
fn is_named(params: &Params<'_>, names: &[String]) -> bool {
    let name = params
        .meta
        .as_ref()
        .and_then(|meta| meta.client.as_ref()?.name?.some());
    let name = name.and_then(|json| serde_json::from_str::<Text<'_>>(json).ok());
    name.is_some_and(|name| names.iter().any(|known| **known == *name))
}
