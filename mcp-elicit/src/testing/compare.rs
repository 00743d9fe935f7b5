//! Whether a handler did the same when it ran again.

use serde_json::Value;

use super::run::Asked;
use crate::runtime::probe::{End, Question, Seen};
use crate::runtime::run::Kind;

/// What is said to every author whose handler does not.
const ADVICE: &str = "\
A handler runs again in each round, and must then ask and do the same. Build questions from arguments and
earlier answers; take the time from `cx.now()`; put what is read from elsewhere into a `step`, and what must
not be done twice into `once`. `.once_per_round()` leaves this check out.";

/// What is wrong with a round that was done more than once, if anything is. `asked` is what the
/// client was asked in rounds before.
pub(super) fn fault(passes: &[Seen], asked: &[Asked]) -> Option<String> {
    let [first, second, ..] = passes else {
        return None;
    };
    let fault = question(first, second, asked)
        .or_else(|| names(first, second))
        .or_else(|| end(first, second))
        .or_else(|| order(passes))?;
    Some(format!("{fault}\n\n{ADVICE}"))
}

/// What is wrong with a question that was asked before in other words, if anything is.
pub(super) fn across_rounds(before: &Asked, now: &Asked) -> Option<String> {
    (before.question() != now.question()).then(|| {
        let fault = changed(now.key(), before.question(), now.question());
        format!("{fault}\n\n{ADVICE}")
    })
}

/// A question that is another in the second pass.
fn question(first: &Seen, second: &Seen, asked: &[Asked]) -> Option<String> {
    second.open.iter().find_map(|new| {
        if let Some(old) = first.open.iter().find(|old| old.key == new.key) {
            return (old.digest != new.digest)
                .then(|| changed(&new.key, &message(old), &message(new)));
        }
        // Answered in the first pass, and not the same question any more.
        let old = asked.iter().rfind(|old| old.key() == new.key)?;
        Some(changed(&new.key, old.question(), &message(new)))
    })
}

fn changed(key: &str, old: &str, new: &str) -> String {
    if old == new {
        return format!(
            "VolatileQuestion: the question `{key}` was another one when the handler ran again: what it is about \
             (`.about`, `.named`) or its page differs, under the same text {old:?}."
        );
    }
    format!(
        "VolatileQuestion: the question `{key}` has another text when the handler runs again:\n\n- {}\n+ {}",
        old.replace('\n', "\n- "),
        new.replace('\n', "\n+ ")
    )
}

fn message(question: &Question) -> String {
    let request: Value = serde_json::from_str(&question.request).unwrap_or_default();
    let asked = Asked::new(&question.key, 0, &request);
    asked.question().to_owned()
}

/// A name that only one of two passes has.
fn names(first: &Seen, second: &Seen) -> Option<String> {
    let missing = |from: &Seen, of: &Seen| {
        let mut names = of.used.iter().filter(|it| !from.used.contains(it));
        names.next().map(called)
    };
    if let Some(name) = missing(second, first) {
        return Some(format!(
            "When the handler ran again, it did not come to {name}."
        ));
    }
    missing(first, second).map(|name| {
        format!("When the handler ran again, it came to {name}, which it had not before.")
    })
}

fn end(first: &Seen, second: &Seen) -> Option<String> {
    let words = |end: &End| match end {
        End::Parked => "waited for answers".to_owned(),
        End::Ok => "ended well".to_owned(),
        End::Failed(text) => format!("failed: {text}"),
    };
    (first.end != second.end).then(|| {
        format!(
            "The handler {}. When it ran again, it {}.",
            words(&first.end),
            words(&second.end)
        )
    })
}

/// Names in an order that does not settle. Between the first two passes it may differ, where
/// something had to be waited for in the first.
fn order(passes: &[Seen]) -> Option<String> {
    let [.., a, b] = passes else { return None };
    let (x, y) = a.used.iter().zip(&b.used).find(|(x, y)| x != y)?;
    Some(format!(
        "Each time the handler runs, it does things in another order: {} came where {} had come before. Go \
         through lists that have an order.",
        called(y),
        called(x)
    ))
}

fn called((kind, name): &(Kind, String)) -> String {
    match kind {
        Kind::Ask => format!("the question `{name}`"),
        Kind::Step => format!("the step `{name}`"),
        Kind::Once => format!("the effect `{name}`"),
    }
}
