//! Reads that are done once per run: their result travels with the run.
//!
//! The handler runs again each round; a step does not. Its result goes into the sealed state, or,
//! when it is large, encrypted into the store with a reference in the state.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use super::cx::Cx;
use super::journal::Entry;
use super::polled;
use super::resume::mismatch;
use super::run::{Fatal, Kind, Run};
use crate::error::CallError;

/// What a step or an effect is given.
#[derive(Debug)]
pub struct Step {
    key: String,
}

impl Step {
    pub(crate) fn new(run: &Run, name: &str) -> Self {
        Self {
            key: run.services.keys.idempotency(&[&run.id(), name.as_bytes()]),
        }
    }

    pub(crate) fn with_key(key: String) -> Self {
        Self { key }
    }

    /// An idempotency key to hand on: the same in every round and every retry of this step,
    /// different for every other step and every other run. 7-bit text, under 64 bytes.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What the result of a step or an effect can be: anything that serde can write and read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded as the result of a step or effect",
    label = "not `Serialize` and `DeserializeOwned`",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, or return the part that later rounds need",
    note = "a secret is never recorded: ask for it in each round, it comes from the vault"
)]
pub trait Record: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Record for T {}

/// What a step or an effect does: an async closure that takes a [`&Step`](Step) and returns a
/// `Result<T, CallError>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the work of a step or effect",
    label = "not an async closure that returns a `Result<_, CallError>`",
    note = "write `async |_| Ok(..)`, or `async |s| Ok(..)` to use the key `s.key()`"
)]
pub trait Work<T>: AsyncFnOnce(&Step) -> Result<T, CallError> {}

#[diagnostic::do_not_recommend]
impl<T, F: AsyncFnOnce(&Step) -> Result<T, CallError>> Work<T> for F {}

/// A step that was not awaited yet. Made by [`Cx::step`].
#[must_use = "a step is done only when it is awaited, so `.await?` it; `let _ =` does nothing"]
pub struct Doing<'cx, F> {
    cx: &'cx Cx,
    settings: Option<Settings>,
    work: Pin<Box<F>>,
}

/// What the builders of a step or an effect set.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) at: Option<usize>,
    pub(crate) by: Option<String>,
    pub(crate) retry_after_crash: bool,
}

impl Settings {
    pub(crate) fn name(&self, name: &str) -> String {
        self.at
            .map_or_else(|| name.to_owned(), |at| format!("{name}.{at}"))
    }
}

impl<'cx, F> Doing<'cx, F> {
    /// `work` takes the settings out of the context in its first poll, which is the very poll that
    /// puts them there: its type has no name, so they cannot be put into it directly.
    pub(crate) fn new(cx: &'cx Cx, work: F) -> Self {
        Self {
            cx,
            settings: Some(Settings::default()),
            work: Box::pin(work),
        }
    }

    /// The `index`-th of its name in a loop.
    pub fn at(self, index: usize) -> Self {
        self.set(|s| s.at = Some(index))
    }

    pub(crate) fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        if let Some(settings) = &mut self.settings {
            change(settings);
        }
        self
    }
}

impl<F: Future> Future for Doing<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(settings) = this.settings.take() {
            this.cx.hand_over(settings);
        }
        this.work.as_mut().poll(cx)
    }
}

impl<F> fmt::Debug for Doing<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doing")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Does a step, or takes its result from the journal.
pub(crate) async fn step<T, F>(
    run: &Arc<Run>,
    name: &str,
    settings: Settings,
    work: F,
) -> Result<T, CallError>
where
    T: Record,
    F: AsyncFnOnce(&Step) -> Result<T, CallError>,
{
    let name = settings.name(name);
    if !run.name(Kind::Step, name.clone()) {
        return over(run).await;
    }
    if let Some(json) = recorded(run, &name).await? {
        return serde_json::from_str(&json).map_err(|_| changed(run, &name));
    }
    run.state().new_ground = true;
    let json = {
        let _effect = run.effect();
        let step = Step::new(run, &name);
        let value = run.inside(work(&step)).await?;
        serde_json::to_string(&value)
            .map_err(|e| CallError::from(format!("step `{name}`: {e}")).quiet())?
    };
    // Decoded from what is recorded, so that the first round sees what later rounds will see.
    let value = serde_json::from_str(&json).map_err(|e| {
        CallError::from(format!(
            "step `{name}` does not read back what it wrote: {e}"
        ))
        .quiet()
    })?;
    record(run, name, json).await?;
    Ok(value)
}

/// The recorded result of a step.
pub(super) async fn recorded(
    run: &Arc<Run>,
    name: &str,
) -> Result<Option<Zeroizing<String>>, CallError> {
    let blob = match run
        .state()
        .journal
        .iter()
        .find(|e| e.name() == name && matches!(e, Entry::Step { .. } | Entry::LargeStep { .. }))
    {
        Some(Entry::Step { json, .. }) => return Ok(Some(Zeroizing::new(json.to_string()))),
        Some(Entry::LargeStep { blob, .. }) => *blob,
        _ => return Ok(None),
    };
    let _busy = run.busy();
    let sealed = run.services.store.blob(blob, run.now()).await?;
    let context = [b"step", &run.id()[..], name.as_bytes()].concat();
    let opened = sealed.and_then(|s| run.services.keys.open_blob(&context, &s));
    let text = opened.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    text.map(|t| Some(Zeroizing::new(t)))
        .ok_or_else(|| changed(run, name))
}

/// Puts a result into the journal.
async fn record(run: &Arc<Run>, name: String, json: String) -> Result<(), CallError> {
    let limits = &run.services.limits;
    if json.len() > limits.result {
        let most = limits.result;
        return Err(
            CallError::from(format!("the result of step `{name}` is over {most} bytes")).quiet(),
        );
    }
    if json.len() <= limits.step {
        run.state().journal.push(Entry::Step {
            name: name.into(),
            json: json.into(),
        });
        return Ok(());
    }
    let _busy = run.busy();
    let (blob, nonce) = (run.services.ambient.random(), run.services.ambient.random());
    let context = [b"step", &run.id()[..], name.as_bytes()].concat();
    let sealed = run
        .services
        .keys
        .seal_blob(&context, json.as_bytes(), nonce);
    let deadline = run.state().deadline;
    run.services.store.put_blob(blob, sealed, deadline).await?;
    run.state().journal.push(Entry::LargeStep {
        name: name.into(),
        blob,
    });
    Ok(())
}

/// A recorded result that this code cannot use: the code is another than the one that wrote it.
fn changed(run: &Run, name: &str) -> CallError {
    let why = format!("the recorded result of step `{name}` cannot be read");
    let text = mismatch(&run.target, &run.state().journal, &why);
    run.fail(Fatal::Tool(text));
    CallError::from(why).quiet()
}

/// Never resolves: the run has failed or its client has gone, and the driver ends it. A task of its
/// own, which the driver cannot end, gets an error.
pub(crate) async fn over<T>(run: &Run) -> Result<T, CallError> {
    if !polled::is_here(run) {
        return Err(CallError::from("nothing can be done in a task of its own").quiet());
    }
    std::future::pending().await
}
