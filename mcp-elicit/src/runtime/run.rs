//! One round of a run while its handler is polled: what was answered before, what is open now.
//!
//! The state is behind a mutex that only this run's own futures take, for a few instructions each
//! time and never across an await.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Wake, Waker};

use axum::body::Bytes;
use axum::http::HeaderValue;

use super::journal::RunId;
use super::notice::Notices;
use super::polled;
use super::services::Services;
pub(crate) use super::state::{Answer, Fatal, Kind, Open, OpenPage, OpenedRow, State};
use super::tell::{self, Meter};
use crate::auth::Principal;
use crate::mistake::Mistake;
use crate::seal::{PrincipalTag, RequestDigest};
use crate::store::Owner;
use crate::time::UnixTime;
use crate::web::OwnPages;
use crate::wire::message::Capabilities;
use crate::wire::object::Text;

/// What was called, in words of the request.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) feature: Feature,
    /// The name of the tool or prompt, or the URI of the resource or its template.
    pub(crate) name: Arc<str>,
    /// The name to show to people.
    pub(crate) title: Arc<str>,
    pub(crate) fingerprint: u64,
    pub(crate) rev: u32,
    /// What is measured of it.
    pub(crate) meter: Meter,
}

/// What can be called, and can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Feature {
    Tool,
    Prompt,
    Resource,
}

impl Feature {
    /// What an operator calls it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    /// The method that calls it.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/call",
            Self::Prompt => "prompts/get",
            Self::Resource => "resources/read",
        }
    }
}

/// How much of a client's name is read, in characters: it is stored with every open page.
const NAME_LENGTH: usize = 100;

/// Where links to pages begin.
#[derive(Debug, Clone)]
pub(crate) enum Base {
    /// As configured, such as `https://mcp.example.com/billing`.
    Configured(Arc<str>),
    /// The loopback host that the request named, such as `127.0.0.1:3000`.
    Loopback(HeaderValue),
    /// Pages on a listener of their own, which is made when the first link is.
    Own(Arc<OwnPages>),
}

impl Base {
    /// The address below which the pages are.
    pub(crate) fn url(&self) -> std::io::Result<Cow<'_, str>> {
        Ok(match self {
            Self::Configured(base) => Cow::Borrowed(base),
            Self::Loopback(host) => format!("http://{}", host.to_str().unwrap_or_default()).into(),
            Self::Own(pages) => pages.url()?.into(),
        })
    }

    /// Whether whoever has a link is taken for its owner.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

/// One round of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) services: Arc<Services>,
    pub(crate) principal: Principal,
    pub(crate) target: Arc<Target>,
    pub(crate) capabilities: Capabilities,
    /// Where links to pages begin.
    pub(crate) base: Base,
    /// Where in the body the client names itself, as JSON text.
    client: Option<Range<usize>>,
    /// The request's body.
    body: Bytes,
    arguments: Option<Bytes>,
    /// The URI that is read, if a resource is.
    pub(crate) uri: Option<Box<str>>,
    /// What the client wants to hear before the reply.
    pub(crate) notices: Option<Arc<Notices>>,
    request: OnceLock<RequestDigest>,
    state: Mutex<State>,
    /// Whether the handler was woken since its latest poll began.
    woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
    /// Look-ups, steps and effects that are under way.
    busy: AtomicUsize,
    /// Steps and effects that must be recorded even if the client goes away.
    effects: AtomicUsize,
    /// Whether the author's work of a step or effect is being polled.
    inside: AtomicBool,
}

/// Parts of a [`Run`] that the request gives.
pub(crate) struct Call {
    pub(crate) principal: Principal,
    pub(crate) target: Arc<Target>,
    pub(crate) capabilities: Capabilities,
    pub(crate) base: Base,
    pub(crate) client: Option<Range<usize>>,
    pub(crate) body: Bytes,
    /// The arguments, as JSON text.
    pub(crate) arguments: Option<Bytes>,
    pub(crate) uri: Option<Box<str>>,
    pub(crate) notices: Option<Arc<Notices>>,
}

impl Run {
    pub(crate) fn new(services: Arc<Services>, call: Call, state: State) -> Arc<Self> {
        Arc::new(Self {
            services,
            principal: call.principal,
            target: call.target,
            capabilities: call.capabilities,
            base: call.base,
            client: call.client,
            body: call.body,
            arguments: call.arguments,
            uri: call.uri,
            notices: call.notices,
            request: OnceLock::new(),
            state: Mutex::new(state),
            woken: AtomicBool::new(false),
            outer: Mutex::new(None),
            busy: AtomicUsize::new(0),
            effects: AtomicUsize::new(0),
            inside: AtomicBool::new(false),
        })
    }

    /// Another round of the same request, for a caller that can answer what this one asked.
    #[cfg(feature = "testing")]
    pub(crate) fn again(&self, state: State, notices: Option<Arc<Notices>>) -> Arc<Self> {
        let call = Call {
            principal: self.principal.clone(),
            target: Arc::clone(&self.target),
            capabilities: self.capabilities,
            base: self.base.clone(),
            client: self.client.clone(),
            body: self.body.clone(),
            arguments: self.arguments.clone(),
            uri: self.uri.clone(),
            notices,
        };
        Self::new(Arc::clone(&self.services), call, state)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request, whole.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The arguments as the client wrote them.
    pub(crate) fn arguments(&self) -> Option<&str> {
        std::str::from_utf8(self.arguments.as_ref()?).ok()
    }

    /// The name that the client gives itself.
    pub(crate) fn client(&self) -> Option<String> {
        let client = self.body.get(self.client.clone()?)?;
        let name: Text<'_> = serde_json::from_slice(client).ok()?;
        Some(name.chars().take(NAME_LENGTH).collect())
    }

    /// Digest of what was called with which arguments.
    pub(crate) fn request(&self) -> &RequestDigest {
        self.request
            .get_or_init(|| request_digest(&self.target, self.arguments()))
    }

    pub(crate) fn owner(&self) -> Owner {
        owner(&self.principal)
    }

    pub(crate) fn now(&self) -> UnixTime {
        self.services.ambient.now()
    }

    /// The run's id, drawn when it is first needed.
    pub(crate) fn id(&self) -> RunId {
        let mut state = self.state();
        *state
            .id
            .get_or_insert_with(|| self.services.ambient.random())
    }

    /// Ends the run; the first reason wins.
    pub(crate) fn fail(&self, fatal: Fatal) {
        self.state().fatal.get_or_insert(fatal);
    }

    /// Claims a name for this pass; a second use of it ends the run, and so does one inside of a
    /// step or effect. False if what has the name must not begin.
    pub(crate) fn name(&self, kind: Kind, name: impl Into<Cow<'static, str>>) -> bool {
        let name = name.into();
        if self.is_nested(&name) || self.is_off_task(&name) {
            return false;
        }
        let mut state = self.state();
        if state.left {
            return false;
        }
        if state.used.iter().any(|(k, n)| *k == kind && *n == name) {
            let (what, instead) = match kind {
                Kind::Ask => ("question", "`.at(i)` in a loop, or `.key(..)`"),
                Kind::Step => ("step", "`.at(i)` in a loop, or another name"),
                Kind::Once => ("effect", "`.at(i)` in a loop, or another name"),
            };
            let (tool, name) = (&*self.target.name, &*name);
            let mistake = Mistake::DuplicateKey {
                tool,
                what,
                name,
                instead,
            };
            state.fatal.get_or_insert(mistake.into());
            return false;
        }
        state.used.push((kind, name));
        true
    }

    /// Polls the author's work of a step or effect.
    pub(crate) async fn inside<W: Future>(&self, work: W) -> W::Output {
        let mut work = std::pin::pin!(work);
        std::future::poll_fn(|cx| {
            self.inside.store(true, Ordering::Relaxed);
            // The mark must not outlive a panic either.
            let _mark = Inside(&self.inside);
            work.as_mut().poll(cx)
        })
        .await
    }

    /// Ends the run if `name` is used inside of a step or effect. A run is not parked while one is
    /// under way, so a question in it would wait for ever; and what is recorded by name in it
    /// would be missing from the passes that do not do it again.
    pub(crate) fn is_nested(&self, name: &str) -> bool {
        let nested = self.inside.load(Ordering::Relaxed);
        if nested {
            self.state().nested = true;
            let tool = &*self.target.name;
            self.fail(Mistake::NestedCx { tool, name }.into());
        }
        nested
    }

    /// Ends the run if `name` is polled by something else than its driver.
    pub(crate) fn is_off_task(&self, name: &str) -> bool {
        if polled::is_here(self) {
            return false;
        }
        let tool = &*self.target.name;
        self.fail(Mistake::AskOffTask { tool, name }.into());
        // The run may be over, and nobody look for the reason of its end.
        let mistake = Mistake::AskOffTask { tool, name }.to_string();
        tracing::error!("{}", tell::text_for_log(self, &mistake));
        true
    }

    /// Marks work as under way for as long as the guard lives: the run is not parked meanwhile.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy {
            run: Arc::clone(self),
            effect: false,
        }
    }

    /// Marks an effect as under way: it is finished even if the client goes away.
    pub(crate) fn effect(self: &Arc<Self>) -> Busy {
        self.effects.fetch_add(1, Ordering::Relaxed);
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy {
            run: Arc::clone(self),
            effect: true,
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0
    }

    /// Whether something is under way that has to be finished even if nobody waits for it. What has
    /// a question inside never ends.
    pub(crate) fn is_to_finish(&self) -> bool {
        self.effects.load(Ordering::Relaxed) > 0 && !self.state().nested
    }

    /// Before a poll: remembers whom to wake, and forgets earlier wakes.
    pub(crate) fn before_poll(&self, outer: &Waker) {
        let mut slot = self.outer.lock().unwrap_or_else(PoisonError::into_inner);
        if !slot.as_ref().is_some_and(|w| w.will_wake(outer)) {
            *slot = Some(outer.clone());
        }
        drop(slot);
        self.woken.store(false, Ordering::Release);
    }

    pub(crate) fn was_woken(&self) -> bool {
        self.woken.load(Ordering::Acquire)
    }

    /// The handler is given up: questions that are dropped from now on were not abandoned, and
    /// nobody is woken any more. Each waker holds the run that holds it, so none may stay.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.closed = true;
        let wakers: Vec<_> = state.open.iter_mut().map(|o| o.waker.take()).collect();
        drop(state);
        drop(wakers);
    }

    /// Whether the client says of a page that is open that the user has been there.
    pub(crate) fn waits_for_page(&self) -> bool {
        let state = self.state();
        let mut pages = state.waiting().filter_map(|open| open.page);
        pages.any(|page| page.accepted)
    }

    /// Tells the questions whose pages were waited for to look again.
    pub(crate) fn look_again(&self) {
        let mut wakers = Vec::new();
        for open in &mut self.state().open {
            if let Some(page) = &mut open.page {
                page.again = true;
                wakers.extend(open.waker.take());
            }
        }
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Digest of a call. No arguments are the same as none in an object.
pub(crate) fn request_digest(target: &Target, arguments: Option<&str>) -> RequestDigest {
    RequestDigest::of(
        target.feature.method(),
        &target.name,
        Some(arguments.unwrap_or("{}")),
    )
}

/// The first half of a digest, where 128 bits will do.
pub(crate) fn half(digest: [u8; 32]) -> [u8; 16] {
    let mut out = [0; 16];
    out.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    out
}

/// Whose tickets and vault rows a principal's are.
pub(crate) fn owner(principal: &Principal) -> Owner {
    Owner {
        tenant: principal.tenant_name().to_owned(),
        issuer: principal.issuer().to_owned(),
        subject: principal.subject().to_owned(),
    }
}

/// What a state is tied to.
pub(crate) fn tag(principal: &Principal) -> PrincipalTag {
    PrincipalTag::from_bytes(principal.digest(|p| {
        let kind = if p.is_anonymous() {
            "anonymous"
        } else {
            "known"
        };
        *PrincipalTag::of(&[kind, p.tenant_name(), p.issuer(), p.subject()]).as_bytes()
    }))
}

impl Wake for Run {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        let outer = self
            .outer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

/// Takes the mark of [`Run::inside`] away.
struct Inside<'a>(&'a AtomicBool);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Work that keeps the run from being parked.
#[derive(Debug)]
pub(crate) struct Busy {
    run: Arc<Run>,
    effect: bool,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.run.busy.fetch_sub(1, Ordering::Relaxed);
        if self.effect {
            self.run.effects.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
