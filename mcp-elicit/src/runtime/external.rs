//! A question in URL mode on a page of somebody else, such as a payment provider.
//!
//! The answer is a completion, never what the client says: its `accept` is consent to open the link.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::begin::Begun;
use super::completion::{self, Completion};
use super::journal::{QuestionDigest, Recorded};
use super::question::{Action, no_answer, page_request, short};
use super::run::{Fatal, Kind, Open, OpenPage, Run};
use super::state::Waited;
use super::step::Record;
use super::tell;
use crate::auth::local::is_loopback;
use crate::error::NoAnswer;
use crate::limits::LINK_BYTES;
use crate::mistake::Mistake;
use crate::observe::{Mode, Outcome};
use crate::store::{CompletionId, StoreError};

/// A question on a page of somebody else. Await it for what it was completed with.
///
/// Made by [`Cx::ask_external`](crate::Cx::ask_external).
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct External<'cx, T> {
    run: &'cx Arc<Run>,
    id: CompletionId,
    key: Cow<'static, str>,
    message: Option<String>,
    link: String,
    host: String,
    digest: QuestionDigest,
    /// Whether the client says in this round that the user has opened the link.
    accepted: bool,
    stage: Stage,
    value: std::marker::PhantomData<fn() -> T>,
}

type Looking = Pin<Box<dyn Future<Output = Result<Option<String>, StoreError>> + Send>>;

enum Stage {
    New,
    Looking(Looking),
    Open,
    /// Answered, or the run is over.
    Over,
}

impl<'cx, T: Record> External<'cx, T> {
    pub(super) fn new(slot: Completion<'cx, T>, link: String) -> Self {
        let host = match host(&link) {
            Ok(host) => host,
            Err(why) => {
                // The link itself may hold what belongs into no log.
                let tool = &*slot.run.target.name;
                slot.run.fail(Mistake::BadLink { tool, why }.into());
                String::new()
            }
        };
        Self {
            run: slot.run,
            id: slot.id,
            key: Cow::Borrowed("external"),
            message: None,
            link,
            host,
            digest: [0; 16],
            accepted: false,
            stage: Stage::New,
            value: std::marker::PhantomData,
        }
    }

    /// Says what the page is for, such as `Pay 12 EUR for order 7`. Without it the user reads whose
    /// page it is. As for [`Ask::message`](crate::Ask::message): the same in each round.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Asks under another key than `external`, where there is more than one.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Cow::Owned(key.into());
        self
    }

    /// The `index`-th one in a loop: its key is `external.0`, `external.1` and so on.
    pub fn at(mut self, index: usize) -> Self {
        self.key = Cow::Owned(format!("{}.{index}", self.key));
        self
    }
}

impl<T> External<'_, T> {
    fn text(&self) -> Cow<'_, str> {
        match &self.message {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(format!("Please go on at the page of {}.", self.host)),
        }
    }

    /// The first poll. Returns a refusal, or moves on to the next stage.
    fn begin(&mut self) -> Option<NoAnswer> {
        self.stage = Stage::Over;
        if !self.run.name(Kind::Ask, self.key.clone()) {
            return None;
        }
        // Not the link: a new session at the other side is no new question.
        self.digest = short(&[b"external", self.text().as_bytes(), &self.id.0]);
        let answer = match self.run.begin(&self.key, &self.digest, Mode::Url, false)? {
            Begun::Recorded(recorded) => {
                self.run.answered(&self.key, self.digest, None);
                return Some(no_answer(&recorded));
            }
            Begun::Asked(_, answer) => answer,
        };
        match answer.as_deref().map(Action::read) {
            Some(Ok(Action::Decline)) => return Some(self.conclude(Recorded::Declined)),
            Some(Ok(Action::Cancel)) => return Some(self.conclude(Recorded::Cancelled)),
            Some(Ok(Action::Accept(_))) => self.accepted = true,
            Some(Err(fault)) => {
                self.run.malformed(&self.key, fault);
                return None;
            }
            Some(Ok(Action::None)) | None => {}
        }
        self.look();
        None
    }

    fn is_late(&self) -> bool {
        self.run.now() >= self.run.state().deadline
    }

    fn look(&mut self) {
        let (run, id) = (Arc::clone(self.run), self.id);
        self.stage = Stage::Looking(Box::pin(async move {
            let _busy = run.busy();
            completion::find(&run.services, id).await
        }));
    }

    /// Registers the question as open; the driver parks when nothing else is to do.
    fn open(&mut self) {
        let can = self.run.capabilities.url;
        let request = if can {
            page_request(&self.text(), &self.link)
        } else {
            String::new()
        };
        self.run.state().missing.url |= !can;
        self.run.ask(Open {
            key: self.key.clone(),
            digest: self.digest,
            attempts: 0,
            request: Cow::Owned(request),
            mode: Mode::Url,
            page: can.then_some(OpenPage {
                waited: Waited::Completion(self.id),
                until: None,
                accepted: self.accepted,
                again: false,
            }),
            shown: None,
            lifetime: None,
            waker: None,
            abandoned: false,
        });
        self.stage = Stage::Open;
    }

    /// Records that there is no answer.
    fn conclude(&mut self, outcome: Recorded) -> NoAnswer {
        self.tell(match outcome {
            Recorded::Cancelled => Outcome::Cancelled,
            Recorded::TimedOut => Outcome::TimedOut,
            _ => Outcome::Declined,
        });
        self.run.unanswered(&self.key, self.digest, outcome)
    }

    fn tell(&self, outcome: Outcome) {
        let which = (&*self.key, &self.digest);
        tell::answered(self.run, Mode::Url, "external", which, outcome);
    }

    fn close(&mut self) {
        self.stage = Stage::Over;
        self.run.state().close(&self.key);
    }
}

impl<T: Record> Future for External<'_, T> {
    type Output = Result<T, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if this.run.is_off_task(&this.key) {
            // An end, or the task that awaits it would wait for ever.
            this.stage = Stage::Over;
            return Poll::Ready(Err(NoAnswer::Cancelled));
        }
        loop {
            match &mut this.stage {
                Stage::New => {
                    if let Some(no) = this.begin() {
                        return Poll::Ready(Err(no));
                    }
                }
                Stage::Looking(future) => {
                    let Poll::Ready(found) = future.as_mut().poll(cx) else {
                        return Poll::Pending;
                    };
                    match found.map(|json| json.map(|json| completion::read(&json))) {
                        Ok(Some(Ok(value))) => {
                            this.tell(Outcome::Accepted);
                            this.close();
                            return Poll::Ready(Ok(value));
                        }
                        // A retry may have been held until this very moment.
                        Ok(None) if this.is_late() => {
                            this.close();
                            return Poll::Ready(Err(this.conclude(Recorded::TimedOut)));
                        }
                        Ok(None) => this.open(),
                        Ok(Some(Err(e))) => {
                            this.stage = Stage::Over;
                            this.run.fail(Fatal::Internal(e.source().to_string()));
                        }
                        Err(e) => {
                            this.stage = Stage::Over;
                            this.run.fail(Fatal::Internal(e.to_string()));
                        }
                    }
                }
                Stage::Open if this.run.is_nested(&this.key) => return Poll::Pending,
                Stage::Open => {
                    let mut state = this.run.state();
                    let Some(open) = state.open(&this.key) else {
                        return Poll::Pending;
                    };
                    open.waker = Some(cx.waker().clone());
                    if !open.page.is_some_and(|page| page.again) {
                        return Poll::Pending;
                    }
                    drop(state);
                    this.look();
                }
                Stage::Over => {
                    this.run.awaited_again(&this.key);
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<T> Drop for External<'_, T> {
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::New | Stage::Over) {
            self.run.let_go(&self.key);
        }
    }
}

impl<T> fmt::Debug for External<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("External")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The host of a link that a user may be sent to; or why it is none (client/elicitation, "Safe URL
/// Handling").
fn host(link: &str) -> Result<String, &'static str> {
    if link.len() > LINK_BYTES {
        return Err("is longer than 2048 bytes");
    }
    // What a browser would drop, or read in another way than we do.
    if !link
        .bytes()
        .all(|b| b.is_ascii_graphic() && !br#""'\<>^`{|}"#.contains(&b))
    {
        return Err("has a character that stands in no URL; percent-encode it");
    }
    let uri: http::Uri = link.parse().map_err(|_| "is not a URL")?;
    let authority = uri.authority().ok_or("needs a scheme and a host")?;
    if authority.as_str().contains('@') {
        return Err("must not name a user in front of its host");
    }
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if is_loopback(authority.host()) => {}
        _ => return Err("must be https; http is for this machine alone"),
    }
    if authority.host().is_empty() {
        return Err("needs a host");
    }
    Ok(authority.host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn only_safe_links_are_given() {
        for good in [
            "https://pay.example.com",
            "https://pay.example.com:8443/a/b?order=7&token=c1.x#top",
            "http://127.0.0.1:3000/pay",
            "http://localhost/pay",
            "http://[::1]:80/pay",
            &format!("https://pay.example.com/{}", "a".repeat(2024)),
        ] {
            assert!(host(good).is_ok(), "{good}: {:?}", host(good));
        }
        for bad in [
            "",
            "pay.example.com",
            "/pay",
            "//pay.example.com/",
            "http://pay.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1.example.com/",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://pay.example.com/",
            "https:///pay",
            "https://user@pay.example.com/",
            "https://pay.example.com@evil.example/",
            "https://pay.example.com\\@evil.example/",
            "https://pay.example.com/ a",
            "https://pay.example.com/\n",
            "https://p\u{e4}y.example.com/",
            "https://pay.example.com/\u{202e}",
            &format!("https://pay.example.com/{}", "a".repeat(2025)),
        ] {
            assert!(host(bad).is_err(), "{bad}");
        }
        assert_eq!(
            host("https://pay.example.com:1/x").unwrap(),
            "pay.example.com"
        );
    }
}
