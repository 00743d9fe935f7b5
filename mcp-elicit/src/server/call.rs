//! `tools/call`, `prompts/get` and `resources/read`: from a request to a finished result, or to one that
//! asks for input.

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::value::RawValue;
use tracing::Instrument as _;

use super::app::Inner;
use super::dispatch::{Request, client_name, range_in};
use super::registry::{Registered, Registry};
use super::reply::Reply;
use super::resource::{Caching, NotFound};
use crate::declare::Mode;
use crate::error::{CallError, NoAnswer};
use crate::leak::Guard;
use crate::mistake::Mistake;
use crate::observe::{self, Ended, Limit, Place, Reason};
use crate::runtime::journal::Entry;
use crate::runtime::resume::{self, Refusal};
use crate::runtime::run::{Call, Fatal, Feature, Run, State, request_digest};
use crate::runtime::tell;
use crate::runtime::{Cx, Drive, DriveOutcome, Notices, caught, fallback, hold, known, put_by};
use crate::wire::error::RpcError;
use crate::wire::message::Capabilities;
use crate::wire::write_string;

/// What is called, and with what.
pub(crate) struct Called<'r> {
    registered: &'r Registered,
    /// The arguments of a tool or prompt, where they are in the request.
    given: Option<&'r RawValue>,
    /// The arguments as JSON text.
    arguments: Option<Bytes>,
    uri: Option<Box<str>>,
}

/// The tool that is called.
pub(crate) fn tool<'r>(
    registry: &'r Registry,
    request: &Request<'r>,
) -> Result<Called<'r>, RpcError> {
    let registered = registry.tool(name(request)?, &request.principal);
    let called = called(registered, request, "There is no tool of this name.")?;
    if let Some(parts) = request.parts {
        let arguments = called.arguments.as_deref();
        called.registered.check_headers(&parts.headers, arguments)?;
    }
    Ok(called)
}

/// The prompt that is got.
pub(crate) fn prompt<'r>(
    registry: &'r Registry,
    request: &Request<'r>,
) -> Result<Called<'r>, RpcError> {
    let registered = registry.prompt(name(request)?, &request.principal);
    called(registered, request, "There is no prompt of this name.")
}

/// The resource that is read.
pub(crate) fn resource<'r>(
    registry: &'r Registry,
    request: &Request<'_>,
) -> Result<Called<'r>, RpcError> {
    let uri = request.params.uri.as_deref();
    let uri = uri.ok_or_else(|| RpcError::invalid_params("`params.uri` is missing."))?;
    let Some(found) = registry.resource(uri, &request.principal) else {
        return Err(RpcError::resource_not_found(uri));
    };
    Ok(Called {
        registered: found.registered,
        given: None,
        arguments: found.arguments,
        uri: Some(uri.into()),
    })
}

fn called<'r>(
    registered: Option<&'r Registered>,
    request: &Request<'r>,
    absent: &'static str,
) -> Result<Called<'r>, RpcError> {
    let registered = registered.ok_or_else(|| RpcError::invalid_params(absent))?;
    let given = given(request)?;
    let range = given.and_then(|json| range_in(request.body, json.get()));
    Ok(Called {
        registered,
        given: given.filter(|_| range.is_some()),
        arguments: range.map(|range| request.body.slice(range)),
        uri: None,
    })
}

fn name<'r>(request: &'r Request<'_>) -> Result<&'r str, RpcError> {
    let name = request.params.name.as_deref();
    name.ok_or_else(|| RpcError::invalid_params("`params.name` is missing."))
}

/// The arguments as the client gave them. To leave them out and to give none is the same request.
fn given<'r>(request: &Request<'r>) -> Result<Option<&'r RawValue>, RpcError> {
    let arguments = request.params.arguments.and_then(|raw| raw.0);
    let Some(json) = arguments.filter(|json| json.get() != "null") else {
        return Ok(None);
    };
    // Nothing that a model could mend: the request is malformed (server/tools, "Error Handling").
    if !json.get().starts_with('{') {
        return Err(RpcError::invalid_params(
            "`params.arguments` must be an object.",
        ));
    }
    Ok(Some(json).filter(|json| !is_empty_object(json.get())))
}

/// One request of a run; appends the result after `"resultType":`.
///
/// What is needed only to begin it does not become a part of its future, which each request allocates
/// and moves.
pub(crate) async fn run(
    app: &Arc<Inner>,
    request: &Request<'_>,
    called: Called<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let (registered, arguments) = (called.registered, called.given);
    let run = match begin(app, request, called) {
        Ok(run) => run,
        Err(Refusal::Rpc(error)) => return Err(error),
        Err(Refusal::Tool(text)) => return refuse(registered.target.feature, text, out),
    };
    let span = tell::began(&run);
    round(
        &run,
        registered,
        arguments,
        caching(registered, request),
        out,
    )
    .instrument(span)
    .await
}

/// How long a client may keep the result. What was read in a retry depends on more than the request
/// says (server/utilities/caching, "Cache Key").
fn caching(registered: &Registered, request: &Request<'_>) -> Caching {
    let params = &request.params;
    match params.request_state.is_some() || params.input_responses.is_some() {
        true => Caching::default(),
        false => registered.caching(),
    }
}

/// The round of a run that a request is.
fn begin(app: &Inner, request: &Request<'_>, called: Called<'_>) -> Result<Arc<Run>, Refusal> {
    let arguments = called.arguments.as_deref();
    let text = arguments.and_then(|it| std::str::from_utf8(it).ok());
    let state = state(app, called.registered, request, text)?;
    let meta = request.params.meta.as_ref();
    let token = meta.and_then(|meta| meta.progress?.some());
    let call = Call {
        notices: Notices::new(request.outlet.as_ref(), token, request.level),
        client: client_name(request.body, &request.params),
        principal: request.principal.clone(),
        target: Arc::clone(&called.registered.target),
        capabilities: request.capabilities,
        base: request.base.clone(),
        arguments: called.arguments,
        body: request.body.clone(),
        uri: called.uri,
    };
    Ok(Run::new(Arc::clone(&app.services), call, state))
}

/// One round of a run, from the start of its handler to what goes out.
async fn round(
    run: &Arc<Run>,
    registered: &Registered,
    arguments: Option<&RawValue>,
    caching: Caching,
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    if let Some(error) = before(run, registered).await? {
        return Err(error);
    }
    // Those of a resource come from its URI, so they have not been read yet.
    let read = || serde_json::from_str(run.arguments()?).ok();
    let arguments = arguments.or_else(read);
    let over = pass(run, registered, arguments).await;
    #[cfg(feature = "testing")]
    let (run, over) = super::rehearsal::go_on(Arc::clone(run), over, registered, arguments).await;
    #[cfg(feature = "testing")]
    let run = &run;
    match over {
        // Arguments that do not fit are an error that the model can mend (server/tools).
        Pass::Unfit(text) => {
            tell::ended(run, Ended::BadArguments);
            if run.target.feature != Feature::Tool {
                return Err(RpcError::invalid_params(text));
            }
            complete(&Reply::error(text), out);
            Ok(())
        }
        Pass::Done(Ok(reply)) if registered.is_structured() && reply.lacks_structure() => {
            let text = "the tool has an output schema, so a result that is no error needs structured content";
            Err(internal(run, text))
        }
        Pass::Done(result) => {
            // A credential that was used is one more thing that the request does not say.
            let is_own = !run.state().secrets.is_empty();
            let caching = if is_own { Caching::default() } else { caching };
            finish(run, result.map(|reply| reply.cached(caching)), out)
        }
        Pass::Failed(fatal) => fail(run, fatal, out),
        Pass::Parked => park(run, out).await,
    }
}

/// How one pass over a handler ended.
#[derive(Debug)]
pub(super) enum Pass {
    /// It has not begun: the arguments do not fit.
    Unfit(String),
    Done(Result<Reply, CallError>),
    Failed(Fatal),
    /// It waits for answers. What it asks is in the state of the run.
    Parked,
}

/// Runs the handler until it ends or waits for nothing but answers. It knows no transport: whoever
/// calls it can seal what is asked into a reply, or ask over a live connection and run again.
pub(super) async fn pass(
    run: &Arc<Run>,
    registered: &Registered,
    arguments: Option<&RawValue>,
) -> Pass {
    let start = || registered.start(Cx::new(Arc::clone(run)), arguments);
    let future = match caught(run, start) {
        Ok(Ok(future)) => future,
        Ok(Err(bad)) => return Pass::Unfit(bad.to_string()),
        Err(fatal) => return Pass::Failed(fatal),
    };
    let mut drive = Drive::new(Arc::clone(run), future);
    let mut may_hold = true;
    loop {
        match (&mut drive).await {
            DriveOutcome::Done(result) => return Pass::Done(result),
            DriveOutcome::Failed(fatal) => return Pass::Failed(fatal),
            // Boxed, so that calls that do not wait for a page need not carry the room for it.
            DriveOutcome::Parked
                if std::mem::take(&mut may_hold)
                    && run.waits_for_page()
                    && Box::pin(hold::hold(run)).await =>
            {
                run.look_again();
            }
            DriveOutcome::Parked => {
                drive.close();
                return Pass::Parked;
            }
        }
    }
}

/// A text that ends a run: of a tool it is a result for the model, else an error.
fn refuse(feature: Feature, text: String, out: &mut Vec<u8>) -> Result<(), RpcError> {
    if feature != Feature::Tool {
        return Err(RpcError::told(text));
    }
    complete(&Reply::error(text), out);
    Ok(())
}

/// Whether the text of an object has no member.
fn is_empty_object(json: &str) -> bool {
    let inner = json.strip_prefix('{').and_then(|j| j.strip_suffix('}'));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

/// The state with which the run begins or goes on.
fn state(
    app: &Inner,
    registered: &Registered,
    request: &Request<'_>,
    arguments: Option<&str>,
) -> Result<State, Refusal> {
    let params = &request.params;
    let token = match params.request_state.and_then(|s| s.some()) {
        None => None,
        Some(json) => Some(
            serde_json::from_str::<crate::wire::object::Text<'_>>(json).map_err(|_| {
                Refusal::Rpc(RpcError::invalid_params("`requestState` must be a string."))
            })?,
        ),
    };
    #[cfg(feature = "testing")]
    if let Some(saved) = crate::runtime::probe::saved() {
        let (services, principal) = (&app.services, &request.principal);
        return resume::restored(services, principal, &registered.target, saved);
    }
    let mut state = match token {
        None => resume::begin(&app.services),
        Some(token) => {
            let digest = request_digest(&registered.target, arguments);
            let mut state = resume::resume(
                &app.services,
                &request.principal,
                &registered.target,
                &digest,
                &token,
            )?;
            state.token = registered.is_single_use().then(|| resume::name(&token));
            state
        }
    };
    let answers = params.input_responses.and_then(|r| r.some());
    state.answers = resume::answers(&app.services, answers).map_err(Refusal::Rpc)?;
    Ok(state)
}

/// What is checked before the handler starts: the modes that the tool says it asks, and single use,
/// which comes last because it uses the state up.
async fn before(run: &Arc<Run>, registered: &Registered) -> Result<Option<RpcError>, RpcError> {
    let failed = |e: crate::store::StoreError| internal(run, &e.to_string());
    let mut missing = Capabilities::default();
    for need in registered.asks() {
        let Some(declaration) = need.declaration() else {
            missing = missing.and(run.capabilities.lacks(need.of_client()));
            continue;
        };
        match declaration.mode() {
            Mode::Page { .. } if fallback(declaration).is_some() => {}
            Mode::Page { .. } => {
                let needed = !run.capabilities.url && !missing.url;
                missing.url |= needed && !known(run, declaration).await.map_err(failed)?;
            }
            _ => missing.form |= !run.capabilities.form,
        }
    }
    if missing != Capabilities::default() {
        tell::ended(run, Ended::Incapable);
        return Ok(Some(RpcError::missing_capability(missing)));
    }
    let token = run.state().token;
    if let Some(token) = token
        && !resume::use_up(run, token).await.map_err(failed)?
    {
        tell::state_refused(&run.services, &run.principal, &run.target, Reason::Used);
        return Ok(Some(RpcError::invalid_params(resume::REFUSED)));
    }
    Ok(None)
}

/// Appends a finished result.
fn complete(reply: &Reply, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"complete\",");
    reply.write(out);
}

fn finish(run: &Run, result: Result<Reply, CallError>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    match (result, run.target.feature) {
        (Ok(reply), _) if reply.is_error() => guarded(run, &reply, Ended::Error, out),
        (Ok(reply), _) => guarded(run, &reply, Ended::Ok, out),
        (Err(error), Feature::Tool) => {
            let (reply, how) = refused(run, &error);
            guarded(run, &reply, how, out)
        }
        (Err(error), _) => {
            let (error, how) = error_of(run, &error);
            Err(guarded_error(run, error, how))
        }
    }
}

/// What the client sees of the error of a prompt or resource, which have no result to say it in.
fn error_of(run: &Run, error: &CallError) -> (RpcError, Ended) {
    if let Some(no) = error.no_answer() {
        let action = match no {
            NoAnswer::Declined => "decline",
            NoAnswer::Cancelled => "cancel",
            NoAnswer::Invalid(_) => "invalid",
            NoAnswer::TimedOut => "timeout",
        };
        let error = RpcError::no_answer(action, no.to_string());
        return (error, Ended::Unanswered);
    }
    if let (true, Some(uri)) = (error.source().is::<NotFound>(), &run.uri) {
        return (RpcError::resource_not_found(uri), Ended::Error);
    }
    let (reply, how) = refused(run, error);
    let mut told = String::new();
    reply.each_text(&mut |text| told.push_str(text));
    (RpcError::told(told), how)
}

/// The same error, unless it holds a secret.
fn guarded_error(run: &Run, error: RpcError, how: Ended) -> RpcError {
    let leaks = |guard: &Guard| {
        let texts = [&*error.message, error.data.as_deref().unwrap_or_default()];
        let mut each = texts.into_iter();
        // Each by itself too: a short secret is found only as a whole value.
        guard.leaks_across(&mut texts.into_iter())
            || each.any(|text| guard.leaks_across(&mut std::iter::once(text)))
    };
    if leak_guard(run).is_some_and(|guard| leaks(&guard)) {
        tell::leaked(run, Place::Result);
        let text = "an error held a secret that was opened in this run; it was not sent";
        return internal(run, text);
    }
    tell::ended(run, how);
    error
}

/// Appends a finished result, unless it holds a secret. The runtime's own texts go this way too:
/// they name questions and effects, and an author may have named one after a secret.
fn guarded(run: &Run, reply: &Reply, how: Ended, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let start = out.len();
    complete(reply, out);
    guard(run, out.get(start..).unwrap_or_default(), reply)?;
    tell::ended(run, how);
    Ok(())
}

/// What the client sees of a handler's error, and what kind of end that is.
fn refused(run: &Run, error: &CallError) -> (Reply, Ended) {
    let source = || for_log(run, format!("{:?}", error.source()));
    match error.told() {
        Some(told) => {
            tracing::debug!(tool = %run.target.name, error = %source(), "a tool failed");
            let unanswered = error.no_answer().is_some();
            let how = if unanswered {
                Ended::Unanswered
            } else {
                Ended::Error
            };
            (Reply::error(told.to_owned()), how)
        }
        None => {
            let id = error_id(run);
            tracing::error!(tool = %run.target.name, %id, error = %source(), "a tool failed");
            (
                Reply::error(format!("Internal error {id}.")),
                Ended::Internal,
            )
        }
    }
}

fn fail(run: &Run, fatal: Fatal, out: &mut Vec<u8>) -> Result<(), RpcError> {
    match fatal {
        Fatal::Rpc(error) => Err(guarded_error(run, error, Ended::Refused)),
        Fatal::Tool(text) => {
            let text = after_effects(&std::mem::take(&mut run.state().done), text);
            ended(run, text, out)
        }
        Fatal::Ended { told, log } => {
            tracing::error!("{}", for_log(run, log));
            fail(run, Fatal::Tool(told), out)
        }
        Fatal::Internal(text) => Err(internal(run, &text)),
    }
}

/// A text of the runtime's own that ends a run.
fn ended(run: &Run, text: String, out: &mut Vec<u8>) -> Result<(), RpcError> {
    match run.target.feature {
        Feature::Tool => guarded(run, &Reply::error(text), Ended::Error, out),
        _ => Err(guarded_error(run, RpcError::told(text), Ended::Error)),
    }
}

/// Appends the result that asks for input, with the sealed run.
async fn park(run: &Run, out: &mut Vec<u8>) -> Result<(), RpcError> {
    if !counted(run, out)? {
        return Ok(());
    }
    guard_journal(run)?;
    if let Err(fatal) = put_by(run).await {
        return fail(run, fatal, out);
    }
    let start = out.len();
    out.extend_from_slice(b"\"input_required\",\"inputRequests\":");
    questions(run, out);
    out.extend_from_slice(b",\"requestState\":\"");
    resume::seal(run, out).map_err(|text| internal(run, &text))?;
    out.push(b'"');
    guard(run, out.get(start..).unwrap_or_default(), &Reply::text(""))?;
    tell::asked_all(run);
    Ok(())
}

/// Counts a round in which something is asked. Where it cannot be, it is ended instead: false, and
/// the result is appended.
pub(super) fn counted(run: &Run, out: &mut Vec<u8>) -> Result<bool, RpcError> {
    let mut state = run.state();
    if state.missing != Capabilities::default() {
        let (missing, done) = (state.missing, state.done.clone());
        let key = state.waiting().next().map_or("", |o| &o.key);
        let tool = &*run.target.name;
        let mistake = (missing.url).then(|| Mistake::NoUrlCapability { tool, key }.to_string());
        drop(state);
        if let Some(mistake) = mistake {
            tracing::info!("{}", for_log(run, mistake));
        }
        return missing_capability(run, missing, &done, out).map(|()| false);
    }
    let only_pages = state.waiting().all(|o| o.page.is_some());
    let only_waited = state.waiting().all(|o| o.page.is_some_and(|p| p.accepted));
    if !only_waited && state.round >= run.services.limits.rounds {
        let (text, mistake) = too_many_rounds(run, &state, only_pages);
        let text = after_effects(&state.done, text);
        drop(state);
        if let Some(mistake) = mistake {
            tracing::warn!("{}", for_log(run, mistake));
        }
        observe::limited(Limit::Rounds);
        return ended(run, text, out).map(|()| false);
    }
    let (open, most) = (state.waiting().count(), run.services.limits.answers);
    if open > most {
        drop(state);
        let tool = &*run.target.name;
        let mistake = Mistake::TooManyQuestions { tool, open, most };
        return Err(internal(run, &mistake.to_string()));
    }
    // The limit is no more than the type holds.
    state.round = state.round.saturating_add(u8::from(!only_waited));
    Ok(true)
}

/// Appends what is asked, as an object of requests.
pub(super) fn questions(run: &Run, out: &mut Vec<u8>) {
    let state = run.state();
    for (i, open) in state.waiting().enumerate() {
        out.push(if i == 0 { b'{' } else { b',' });
        write_string(&open.key, out);
        out.push(b':');
        out.extend_from_slice(open.request.as_bytes());
    }
    out.push(b'}');
}

/// A client that cannot be asked. After an effect, an error would hide that it has happened.
fn missing_capability(
    run: &Run,
    missing: Capabilities,
    done: &[Box<str>],
    out: &mut Vec<u8>,
) -> Result<(), RpcError> {
    let error = RpcError::missing_capability(missing);
    if done.is_empty() {
        tell::ended(run, Ended::Incapable);
        return Err(error);
    }
    let text = after_effects(done, error.message.into_owned());
    ended(run, text, out)
}

/// A text that ends a run, with what was done before it.
fn after_effects(done: &[Box<str>], text: String) -> String {
    if done.is_empty() {
        return text;
    }
    format!("Done so far: {}. Then: {text}", done.join(", "))
}

/// What the client is told and what is to be logged.
fn too_many_rounds(run: &Run, state: &State, only_pages: bool) -> (String, Option<String>) {
    if only_pages {
        let text = "Finish the page that was opened, then call this tool again.";
        return (text.into(), None);
    }
    let most = state.waiting().max_by_key(|o| o.attempts);
    let (key, times) = most.map_or(("", 0), |o| (&*o.key, o.attempts));
    let mistake = Mistake::TooManyRounds {
        tool: &run.target.name,
        rounds: state.round,
        key,
        times,
    };
    let text =
        format!("This was asked too many times without an end; the last question was `{key}`.");
    (text, Some(mistake.to_string()))
}

/// The guard over what leaves, if a secret was opened in this run.
fn leak_guard(run: &Run) -> Option<Guard> {
    let state = run.state();
    (!state.secrets.is_empty()).then(|| Guard::new(state.secrets.iter().map(|s| s.as_str())))
}

/// Lets no secret that was opened in this run out in a result.
pub(super) fn guard(run: &Run, result: &[u8], reply: &Reply) -> Result<(), RpcError> {
    let Some(guard) = leak_guard(run) else {
        return Ok(());
    };
    let mut texts = Vec::new();
    reply.each_text(&mut |text| texts.push(text.to_owned()));
    // A single text is whole in the result.
    let is_spread = texts.len() > 1;
    let mut spread = texts.iter().map(String::as_str);
    if guard.leaks(result) || is_spread && guard.leaks_across(&mut spread) {
        tell::leaked(run, Place::Result);
        let text = "a result held a secret that was opened in this run; it was not sent";
        return Err(internal(run, text));
    }
    Ok(())
}

/// Lets no such secret into the state either: it is sealed, but it travels and it is kept.
pub(super) fn guard_journal(run: &Run) -> Result<(), RpcError> {
    let Some(guard) = leak_guard(run) else {
        return Ok(());
    };
    let recorded = |entry: &Entry| {
        let mut name = std::iter::once(entry.name());
        guard.leaks(entry.content().as_bytes()) || guard.leaks_across(&mut name)
    };
    let found = run.state().journal.iter().find(|e| recorded(e)).cloned();
    match found {
        Some(entry) => {
            tell::leaked(run, Place::Journal);
            let name = entry.name();
            let text = format!("`{name}` recorded a secret that was opened in this run");
            Err(internal(run, &text))
        }
        None => Ok(()),
    }
}

/// Puts `text` into the log under an id that the client is told.
fn internal(run: &Run, text: &str) -> RpcError {
    let id = error_id(run);
    let text = for_log(run, text.to_owned());
    tracing::error!(tool = %run.target.name, %id, "{text}");
    tell::ended(run, Ended::Internal);
    RpcError::internal(&id)
}

/// A text that may go into the log: errors and panics of a handler may quote a secret, or what the
/// user has answered.
fn for_log(run: &Run, text: String) -> String {
    match leak_guard(run) {
        Some(guard) if guard.leaks_across(&mut std::iter::once(&*text)) => {
            tell::leaked(run, Place::Log);
            "(withheld: the text holds a secret that was opened in this run)".to_owned()
        }
        _ => tell::text_for_log(run, &text).into_owned(),
    }
}

fn error_id(run: &Run) -> String {
    let bytes: [u8; 4] = run.services.ambient.random();
    format!("{:08x}", u32::from_be_bytes(bytes))
}
