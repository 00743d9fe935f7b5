//! Suggestions for the arguments of prompts and the variables of resources
//! (server/utilities/completion).

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::auth::Principal;

/// The most suggestions that one reply may have (server/utilities/completion, "Completion Results").
const MOST: usize = 100;

/// What suggestions are asked for.
#[derive(Debug)]
pub struct Completing {
    pub(crate) typed: String,
    pub(crate) arguments: HashMap<String, String>,
    pub(crate) principal: Principal,
}

impl Completing {
    /// What the user has typed so far.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// What was chosen for another argument already.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// Who asks: suggest nothing that is not theirs to see.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
}

type Suggestions = Pin<Box<dyn Future<Output = Vec<String>> + Send>>;

/// Where suggestions come from.
#[derive(Clone)]
pub struct Completer(Source);

#[derive(Clone)]
enum Source {
    Values(Arc<[String]>),
    Work(Arc<dyn Fn(Completing) -> Suggestions + Send + Sync>),
}

impl Completer {
    /// Those of these values that begin with what was typed, then those that have it inside.
    #[must_use]
    pub fn of_values(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(Source::Values(values.into_iter().map(Into::into).collect()))
    }

    /// What this function suggests, best first. Only the first hundred are sent.
    #[must_use]
    pub fn of<W>(work: impl Fn(Completing) -> W + Send + Sync + 'static) -> Self
    where
        W: Future<Output = Vec<String>> + Send + 'static,
    {
        Self(Source::Work(Arc::new(move |it| Box::pin(work(it)))))
    }

    /// The suggestions; none of it if the author's work panics or takes longer than `most`.
    pub(crate) async fn complete(
        &self,
        completing: Completing,
        most: Duration,
    ) -> Option<Vec<String>> {
        let work = match &self.0 {
            Source::Values(values) => return Some(matching(values, &completing.typed)),
            Source::Work(work) => work,
        };
        let mut suggestions = catch_unwind(AssertUnwindSafe(|| work(completing))).ok()?;
        let polled = poll_fn(|cx| {
            let poll = || suggestions.as_mut().poll(cx);
            match catch_unwind(AssertUnwindSafe(poll)) {
                Ok(polled) => polled.map(Some),
                Err(_) => Poll::Ready(None),
            }
        });
        tokio::time::timeout(most, polled).await.ok().flatten()
    }
}

fn matching(values: &[String], typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    let (mut first, mut inside) = (Vec::new(), Vec::new());
    for value in values {
        match value.to_lowercase().find(&typed) {
            Some(0) => first.push(value.clone()),
            Some(_) => inside.push(value.clone()),
            None => {}
        }
    }
    first.append(&mut inside);
    first
}

/// Appends `"complete","completion":{..}`.
pub(crate) fn write(values: &[String], out: &mut Vec<u8>) {
    out.extend_from_slice(br#""complete","completion":{"values":["#);
    for (i, value) in values.iter().take(MOST).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        crate::wire::write_string(value, out);
    }
    let more = values.len() > MOST;
    out.extend_from_slice(format!(r#"],"total":{},"hasMore":{more}}}"#, values.len()).as_bytes());
}

impl fmt::Debug for Completer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_so_comes_first() {
        let values = ["Rome".to_owned(), "Oslo".to_owned(), "Solo".to_owned()];
        assert_eq!(matching(&values, "o"), ["Oslo", "Rome", "Solo"]);
        assert_eq!(matching(&values, "SO"), ["Solo"]);
        assert_eq!(matching(&values, "").len(), 3);
    }

    #[test]
    fn no_more_than_a_hundred_are_sent() {
        let written = |n: usize| {
            let values: Vec<String> = (0..n).map(|i| i.to_string()).collect();
            let mut out = b"{\"resultType\":".to_vec();
            write(&values, &mut out);
            out.push(b'}');
            serde_json::from_slice::<serde_json::Value>(&out).unwrap()
        };
        let hundred = written(100);
        assert_eq!(hundred["completion"]["hasMore"], false);
        let more = written(101);
        assert_eq!(more["completion"]["values"].as_array().unwrap().len(), 100);
        assert_eq!(more["completion"]["total"], 101);
        assert_eq!(more["completion"]["hasMore"], true);
    }
}
