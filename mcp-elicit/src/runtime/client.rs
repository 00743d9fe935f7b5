//! What is asked of the client itself: a generation of its model, or its roots.
//!
//! It is a question like those to the user, with a result for an answer that is neither accepted nor
//! declined: a client whose user says no does not send the call again (client/sampling, "Error Handling").

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use zeroize::Zeroizing;

use super::begin::Begun;
use super::journal::{Entry, QuestionDigest, Recorded, content_digest};
use super::need::{ROOTS, ROOTS_KEY, SAMPLE_KEY, SAMPLING, SAMPLING_TOOLS};
use super::once::effect_context;
use super::question::short;
use super::run::{Fatal, Kind, Open, Run, half, tag};
use super::tell;
use crate::error::NoAnswer;
use crate::mistake::Mistake;
use crate::observe::{self, Limit, Mode, Outcome};
use crate::seal::digest_of;
use crate::store::{Claim, ClaimRequest, StoreError};
use crate::wire::message::Capabilities;
use crate::wire::sampled::{Root, Sampled};
use crate::wire::sampling::Sample;

/// A question to the client itself. Await it for the answer.
///
/// Made by [`Cx::sample`](crate::Cx::sample) and [`Cx::roots`](crate::Cx::roots).
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct ClientAsk<'cx, T> {
    run: &'cx Arc<Run>,
    key: Cow<'static, str>,
    request: Cow<'static, str>,
    mode: Mode,
    needed: Capabilities,
    read: fn(&str) -> Result<T, &'static str>,
    digest: QuestionDigest,
    stage: Stage,
}

enum Stage {
    New,
    /// Reading a large answer of an earlier round from the store.
    Looking(Pin<Box<Looking>>),
    Open,
    /// Answered, or the run is over.
    Over,
}

type Looking = dyn Future<Output = Result<Option<Zeroizing<String>>, StoreError>> + Send;

impl<'cx> ClientAsk<'cx, Sampled> {
    pub(super) fn sample(run: &'cx Arc<Run>, sample: &Sample) -> Self {
        if let Some(why) = sample.fault() {
            let tool = &*run.target.name;
            run.fail(Mistake::BadSample { tool, why }.into());
        }
        type Read = fn(&str) -> Result<Sampled, &'static str>;
        let (needed, read): (_, Read) = if sample.needs_tools() {
            (SAMPLING_TOOLS, Sampled::read)
        } else {
            (SAMPLING, Sampled::read_without_tools)
        };
        let request = Cow::Owned(sample.request());
        Self::new(run, SAMPLE_KEY, request, Mode::Sampling, needed, read)
    }
}

impl<'cx> ClientAsk<'cx, Vec<Root>> {
    pub(super) fn roots(run: &'cx Arc<Run>) -> Self {
        let request = Cow::Borrowed(r#"{"method":"roots/list"}"#);
        Self::new(run, ROOTS_KEY, request, Mode::Roots, ROOTS, Root::read_all)
    }
}

impl<'cx, T> ClientAsk<'cx, T> {
    fn new(
        run: &'cx Arc<Run>,
        key: &'static str,
        request: Cow<'static, str>,
        mode: Mode,
        needed: Capabilities,
        read: fn(&str) -> Result<T, &'static str>,
    ) -> Self {
        Self {
            run,
            key: Cow::Borrowed(key),
            request,
            mode,
            needed,
            read,
            digest: [0; 16],
            stage: Stage::New,
        }
    }

    /// Asks under another key than `sample` or `roots`, where there is more than one.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Cow::Owned(key.into());
        self
    }

    /// The `index`-th one in a loop: its key is `sample.0`, `sample.1` and so on.
    pub fn at(mut self, index: usize) -> Self {
        self.key = Cow::Owned(format!("{}.{index}", self.key));
        self
    }

    /// The first poll. Returns an answer, or moves on to the next stage.
    fn begin(&mut self) -> Option<T> {
        self.stage = Stage::Over;
        if !self.run.name(Kind::Ask, self.key.clone()) {
            return None;
        }
        self.digest = short(&[b"client", self.request.as_bytes()]);
        match self.run.begin(&self.key, &self.digest, self.mode, false)? {
            Begun::Recorded(Recorded::Result(json)) => return self.again(&json),
            Begun::Recorded(Recorded::LargeResult { content }) => {
                let (run, key) = (Arc::clone(self.run), self.key.clone());
                self.stage = Stage::Looking(Box::pin(async move {
                    let _busy = run.busy();
                    large(&run, &key, content).await
                }));
            }
            Begun::Asked(_, Some(json)) => return self.take(json),
            // Another outcome is none that this could have had.
            Begun::Recorded(_) | Begun::Asked(_, None) => self.open(),
        }
        None
    }

    /// This round's answer.
    fn take(&mut self, json: Box<str>) -> Option<T> {
        let most = self.run.services.limits.sampled;
        if json.len() > most {
            observe::limited(Limit::Sampled);
            let fault = format!("it may have at most {most} bytes");
            self.run.malformed(&self.key, &fault);
            return None;
        }
        match (self.read)(&json) {
            Ok(value) => {
                let which = (&*self.key, &self.digest);
                let question = match self.mode {
                    Mode::Roots => ROOTS_KEY,
                    _ => SAMPLE_KEY,
                };
                tell::answered(self.run, self.mode, question, which, Outcome::Accepted);
                let new = Some(Recorded::Result(json));
                self.run.answered(&self.key, self.digest, new);
                Some(value)
            }
            Err(fault) => {
                self.run.malformed(&self.key, fault);
                None
            }
        }
    }

    /// An answer of an earlier round.
    fn again(&mut self, json: &str) -> Option<T> {
        self.stage = Stage::Over;
        if let Ok(value) = (self.read)(json) {
            self.run.answered(&self.key, self.digest, None);
            return Some(value);
        }
        // Another build has taken it.
        self.open();
        None
    }

    /// Registers the question as open.
    fn open(&mut self) {
        let missing = self.run.capabilities.lacks(self.needed);
        let mut state = self.run.state();
        state.missing = state.missing.and(missing);
        drop(state);
        self.run.ask(Open {
            key: self.key.clone(),
            digest: self.digest,
            attempts: 0,
            request: std::mem::take(&mut self.request),
            mode: self.mode,
            page: None,
            shown: None,
            lifetime: None,
            waker: None,
            abandoned: false,
        });
        self.stage = Stage::Open;
    }
}

impl<T> Future for ClientAsk<'_, T> {
    type Output = Result<T, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if this.run.is_off_task(&this.key) {
            // An end, or the task that awaits it would wait for ever.
            this.stage = Stage::Over;
            return Poll::Ready(Err(NoAnswer::Cancelled));
        }
        loop {
            let answer = match &mut this.stage {
                Stage::New => this.begin(),
                Stage::Looking(future) => {
                    let Poll::Ready(found) = future.as_mut().poll(cx) else {
                        return Poll::Pending;
                    };
                    match found {
                        Ok(Some(json)) => {
                            let answer = this.again(&json);
                            this.run.state().read.push(json);
                            answer
                        }
                        Ok(None) => {
                            tracing::warn!(
                                tool = &*this.run.target.name,
                                "a large answer of the client is not in the store any more, and is asked for again"
                            );
                            this.open();
                            None
                        }
                        Err(e) => {
                            this.stage = Stage::Over;
                            this.run.fail(Fatal::Internal(e.to_string()));
                            return Poll::Pending;
                        }
                    }
                }
                Stage::Open => {
                    this.run.is_nested(&this.key);
                    return Poll::Pending;
                }
                Stage::Over => {
                    this.run.awaited_again(&this.key);
                    return Poll::Pending;
                }
            };
            if let Some(value) = answer {
                return Poll::Ready(Ok(value));
            }
        }
    }
}

impl<T> Drop for ClientAsk<'_, T> {
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::New | Stage::Over) {
            self.run.let_go(&self.key);
        }
    }
}

impl<T> fmt::Debug for ClientAsk<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientAsk")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// A large answer of an earlier round; `None` if it is not there, or not to be read, any more.
pub(super) async fn large(
    run: &Run,
    key: &str,
    content: [u8; 16],
) -> Result<Option<Zeroizing<String>>, StoreError> {
    let request = kept(run, key, content);
    let sealed = match run.services.store.claim(&request, run.now()).await? {
        Claim::Done(sealed) => sealed,
        // It was not there, and is not to be because of that.
        Claim::Won => {
            let store = &run.services.store;
            store.release(request.key, request.holder).await?;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    let keys = &run.services.keys;
    let opened = keys.open_blob(&effect_context(&request.key), &sealed);
    let text = opened.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    Ok(text.map(Zeroizing::new))
}

/// Before a run is sealed: brings the large answers of this round to the store. The state names them.
pub(crate) async fn put_by(run: &Run) -> Result<(), Fatal> {
    let failed = |e: StoreError| Fatal::Internal(e.to_string());
    for (key, digest, json) in large_answers(run) {
        let content = content_digest(&key, Some(&json));
        let request = kept(run, &key, content);
        let store = &run.services.store;
        match store.claim(&request, run.now()).await.map_err(failed)? {
            Claim::Won => {
                let (keys, nonce) = (&run.services.keys, run.services.ambient.random());
                let context = effect_context(&request.key);
                let sealed = keys.seal_blob(&context, json.as_bytes(), nonce);
                let settled = store.settle(request.key, request.holder, sealed).await;
                settled.map_err(failed)?;
            }
            Claim::TooMany => {
                observe::limited(Limit::SampledKept);
                return Err(Fatal::Tool(TOO_MANY.to_owned()));
            }
            // The same round was sent twice, and the answer is kept, or about to be.
            _ => {}
        }
        run.state()
            .record(&key, digest, Recorded::LargeResult { content });
    }
    Ok(())
}

/// What is said when no more large answers are kept for the user.
const TOO_MANY: &str = "Too many large answers are kept for calls of yours that wait. Finish them, or try again later.";

/// The answers of this round that are too large to travel.
fn large_answers(run: &Run) -> Vec<(Box<str>, QuestionDigest, Box<str>)> {
    let most = run.services.limits.step;
    let state = run.state();
    let large = state.journal.iter().filter_map(|entry| match entry {
        Entry::Ask {
            key,
            digest,
            outcome: Recorded::Result(json),
        } if json.len() > most => Some((key.clone(), *digest, json.clone())),
        _ => None,
    });
    large.collect()
}

/// Where a large answer is kept: as the result of an effect is, under what it is, so that a repeat of the
/// round takes no more room. Its owner is another than that of effects, since so many more of those
/// may be kept.
fn kept(run: &Run, key: &str, content: [u8; 16]) -> ClaimRequest {
    let parts = [b"result", &run.id()[..], key.as_bytes(), &content];
    ClaimRequest {
        key: run.services.keys.claim_key(&parts),
        owner: half(digest_of("results of", &[tag(&run.principal).as_bytes()])),
        most: run.services.limits.sampled_kept,
        digest: content,
        holder: run.services.ambient.random(),
        lease: LEASE,
        expires: run.state().deadline,
        take_lost: true,
    }
}

/// How long it may take to write one.
const LEASE: Duration = Duration::from_secs(15);
