//! Progress and log messages of a request, on their way to the client that wants them.
//!
//! They go out before the reply, through the request's own [`Outlet`]. What earlier rounds have
//! said already is not said again, and nothing is said after the round has ended.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde::Serialize;

use super::outlet::Outlet;
use super::run::{Fatal, Run};
use super::tell;
use crate::leak::Guard;
use crate::observe::{self, Limit, Place};
use crate::wire::write_string;

/// What the client of a request wants to hear, and where it goes.
#[derive(Debug)]
pub(crate) struct Notices {
    pub(crate) outlet: Arc<Outlet>,
    /// The token of progress, as the client wrote it.
    pub(crate) token: Option<Box<str>>,
    /// The least severe messages that it wants.
    pub(crate) level: Option<LogLevel>,
    /// The progress that was sent last. Locked until it is in the outlet: of two threads that report
    /// at the same time, the one that is further must not come first.
    sent: Mutex<f64>,
}

impl Notices {
    /// `None` where the client wants to hear nothing.
    pub(crate) fn new(
        outlet: Option<&Arc<Outlet>>,
        token: Option<&str>,
        level: Option<LogLevel>,
    ) -> Option<Arc<Self>> {
        #[cfg(feature = "testing")]
        if let Some(probe) = super::probe::current() {
            return Some(Arc::new(Self::to(
                &probe.notices,
                Some("0"),
                Some(LogLevel::Debug),
            )));
        }
        let is_wanted = token.is_some() || level.is_some();
        let outlet = outlet.filter(|_| is_wanted)?;
        Some(Arc::new(Self::to(outlet, token, level)))
    }

    fn to(outlet: &Arc<Outlet>, token: Option<&str>, level: Option<LogLevel>) -> Self {
        Self {
            outlet: Arc::clone(outlet),
            token: token.map(Box::from),
            level,
            sent: Mutex::new(f64::NEG_INFINITY),
        }
    }

    /// Gives the notification to `send`, if the progress is more than what was sent before: it must
    /// increase (basic/patterns/progress).
    fn progress(&self, progress: &Progress, send: impl FnOnce(Vec<u8>)) {
        let Some(token) = &self.token else { return };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        // JSON has no numbers beyond these.
        if progress.done <= *sent || !progress.done.is_finite() {
            return;
        }
        *sent = progress.done;
        send(progress.notification(token));
    }

    /// Says that a retry still waits. Nothing is known of how far that has come, so it
    /// is a little more each time, and less than what a handler would count.
    pub(crate) fn still_waiting(&self) {
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let progress =
            Progress::new(sent.max(0.0) + 0.001).message("Waiting for the page to be finished.");
        self.progress(&progress, |text| {
            self.outlet.push_newest(text);
        });
    }
}

/// The beginning of a notification, up to its parameters.
fn notification(of: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{of}","params":{{"#).into_bytes()
}

/// A number as JSON: whole ones without a fraction.
fn number(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(
        || "0".into(),
        |n| {
            let text = n.to_string();
            text.strip_suffix(".0")
                .map(ToOwned::to_owned)
                .unwrap_or(text)
        },
    )
}

/// How far something has come, for [`Cx::report`](super::Cx::report).
///
/// ```
/// use mcp_elicit::Progress;
///
/// let progress = Progress::new(3).total(10).message("Closing issue 3");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Progress {
    /// How much is done, in whatever is counted. It counts only if it is more than what was
    /// reported before in this request.
    pub fn new(done: impl Amount) -> Self {
        Self {
            done: done.amount(),
            total: None,
            message: None,
        }
    }

    /// How much there is to do, in the same unit.
    #[must_use]
    pub fn total(mut self, total: impl Amount) -> Self {
        self.total = Some(total.amount());
        self
    }

    /// What is being done, for people.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    fn notification(&self, token: &str) -> Vec<u8> {
        let mut out = notification("progress");
        out.extend_from_slice(br#""progressToken":"#);
        out.extend_from_slice(token.as_bytes());
        out.extend_from_slice(format!(r#","progress":{}"#, number(self.done)).as_bytes());
        if let Some(total) = self.total.filter(|total| total.is_finite()) {
            out.extend_from_slice(format!(r#","total":{}"#, number(total)).as_bytes());
        }
        if let Some(message) = &self.message {
            out.extend_from_slice(br#","message":"#);
            write_string(message, &mut out);
        }
        out.extend_from_slice(b"}}");
        out
    }
}

/// Numbers in which progress is counted. Whole ones above 2^53 are rounded.
pub trait Amount: sealed::Amount {
    #[doc(hidden)]
    fn amount(self) -> f64;
}

mod sealed {
    pub trait Amount {}
}

macro_rules! amounts {
    ($($ty:ty)*) => {$(
        impl sealed::Amount for $ty {}
        impl Amount for $ty {
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_lossless,
                reason = "what is lost is beyond what a progress bar shows"
            )]
            fn amount(self) -> f64 {
                self as f64
            }
        }
    )*};
}
amounts!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);

/// How severe a log message is (RFC 5424), the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// What goes on.
    Info,
    /// Normal, but significant.
    Notice,
    /// Something may be wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A component has failed.
    Critical,
    /// To be acted upon at once.
    Alert,
    /// Nothing can be used.
    Emergency,
}

impl LogLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The protocol's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// The level of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

/// Reports the progress of one request from wherever its work is done, also from other tasks. Made by
/// [`Cx::reporter`](super::Cx::reporter).
///
/// It says nothing once the round of its request has ended, and keeps nothing of the request until then
/// or later.
///
/// ```no_run
/// use mcp_elicit::prelude::*;
///
/// # fn resize(_: &str) {}
/// /// Resize pictures.
/// #[tool]
/// async fn resize_all(cx: &Cx, names: Vec<String>) -> Result<String, CallError> {
///     let (reporter, total) = (cx.reporter(), names.len());
///     let work = move || {
///         for (i, name) in names.iter().enumerate() {
///             resize(name);
///             reporter.progress(i + 1, total);
///         }
///     };
///     tokio::task::spawn_blocking(work).await?;
///     Ok(format!("Resized {total}"))
/// }
/// ```
#[derive(Clone)]
pub struct Reporter(pub(super) Weak<Run>);

impl Reporter {
    /// As [`Cx::progress`](super::Cx::progress).
    pub fn progress(&self, done: impl Amount, total: impl Amount) {
        self.report(Progress::new(done).total(total));
    }

    /// As [`Cx::report`](super::Cx::report).
    pub fn report(&self, progress: Progress) {
        if let Some(run) = self.0.upgrade() {
            report(&run, &progress);
        }
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter").finish_non_exhaustive()
    }
}

/// Sends progress to a client that wants it.
pub(super) fn report(run: &Run, progress: &Progress) {
    let Some(notices) = heard(run) else {
        return;
    };
    notices.progress(progress, |text| send(run, notices, text, true));
}

/// Sends a log message to a client that wants it.
pub(super) fn log(run: &Run, level: LogLevel, data: &impl Serialize) {
    let Some(notices) = heard(run) else {
        return;
    };
    if notices.level.is_none_or(|least| level < least) {
        return;
    }
    let data = match serde_json::to_vec(data) {
        Ok(data) => data,
        Err(error) => {
            tracing::warn!(%error, "what was to be logged to the client cannot be written as JSON");
            return;
        }
    };
    let mut out = notification("message");
    out.extend_from_slice(format!(r#""level":"{}","logger":"#, level.as_str()).as_bytes());
    write_string(&run.target.name, &mut out);
    out.extend_from_slice(br#","data":"#);
    out.extend_from_slice(&data);
    out.extend_from_slice(b"}}");
    send(run, notices, out, false);
}

/// Where notices go, unless they would be a repetition of earlier rounds, come too late, or nobody is
/// there any more.
fn heard(run: &Run) -> Option<&Notices> {
    let notices = run.notices.as_deref()?;
    let state = run.state();
    (state.is_live() && !state.closed && !state.left).then_some(notices)
}

/// Puts a notification into the outlet, unless it holds a secret that was opened in this run; that
/// ends the run, as it does in a result.
fn send(run: &Run, notices: &Notices, text: Vec<u8>, outdated_by_next: bool) {
    let leaks = {
        let state = run.state();
        let secrets = state.secrets.iter().map(|s| s.as_str());
        !state.secrets.is_empty() && Guard::new(secrets).leaks(&text)
    };
    if leaks {
        tell::leaked(run, Place::Notice);
        let text =
            "a progress or log message held a secret that was opened in this run; it was not sent";
        return run.fail(Fatal::Internal(text.into()));
    }
    let sent = if outdated_by_next {
        notices.outlet.push_newest(text)
    } else {
        notices.outlet.push(text)
    };
    if !sent {
        observe::limited(Limit::Notices);
    }
}
