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
        .or_else(|| unsettled(passes))?;
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

/// The name under which the docs explain it; a running server has a text of its own for it.
const NAME: &str = "VolatileQuestion";

fn changed(key: &str, old: &str, new: &str) -> String {
    if old == new {
        return format!(
            "{NAME}: the question `{key}` was another one when the handler ran again: what it is about \
             (`.about`, `.named`) or its page differs, under the same text {old:?}."
        );
    }
    format!(
        "{NAME}: the question `{key}` has another text when the handler runs again:\n\n- {}\n+ {}",
        old.replace('\n', "\n- "),
        new.replace('\n', "\n+ ")
    )
}

fn message(question: &Question) -> String {
    let request: Value = serde_json::from_str(&question.request).unwrap_or_default();
    let asked = Asked::new(&question.key, 0, &request);
    asked.question().to_owned()
}

/// A name that the first pass had not.
fn names(first: &Seen, second: &Seen) -> Option<String> {
    let name = new(first, second)?;
    Some(format!(
        "When the handler ran again, it came to {name}, which it had not before."
    ))
}

fn new(before: &Seen, after: &Seen) -> Option<String> {
    let mut names = after.used.iter();
    names.find(|it| !before.used.contains(it)).map(called)
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

/// Names that do not settle, or not in one order. Between the first two passes both may differ, where
/// something had to be waited for in the first: the second may then come to less before it waits.
fn unsettled(passes: &[Seen]) -> Option<String> {
    let [.., a, b] = passes else { return None };
    if let Some(name) = new(a, b).or_else(|| new(b, a)) {
        return Some(format!(
            "Sometimes the handler comes to {name}, and sometimes not."
        ));
    }
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
