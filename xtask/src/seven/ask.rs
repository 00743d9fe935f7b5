//! One question of the billing example, its page, and what may come of both.
//!
//! Uses `mcp` for the client and `browser` for the user.

use super::browser::{Browser, Page};
use super::form::{Form, forms};
use super::mcp::{Call, Reply, Wire};
use super::{KEY, need};
use crate::json::Json;
use crate::place::Tried;

/// The tool that needs the key.
pub(super) const TOOL: &str = "connect_billing";
/// The user agrees to open the page; whether it is done is another matter.
pub(super) const ACCEPT: &str = r#"{"billing_key":{"action":"accept"}}"#;
/// The user refuses.
pub(super) const DECLINE: &str = r#"{"billing_key":{"action":"decline"}}"#;
/// The field of the page.
pub(super) const FIELD: &str = "api_key";

/// An open question of one user.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) user: String,
    pub(super) url: String,
    pub(super) state: String,
}

impl Ask {
    /// Makes the call that needs to ask.
    pub(super) fn new(wire: &Wire, user: &str) -> Tried<Self> {
        Self::of(&wire.call(&Call::first(user, TOOL))?, user)
    }

    /// Reads the question from an answer that must be one.
    pub(super) fn of(reply: &Reply, user: &str) -> Tried<Self> {
        let result = reply.result("input_required")?;
        let asks = match result.get("inputRequests") {
            Some(Json::Object(asks)) => asks.len(),
            _ => 0,
        };
        need(asks == 1, || format!("{asks} questions: {result:?}"))?;
        let ask = ["result", "inputRequests", "billing_key"];
        let told = |path: &[&str]| reply.needed(&[&ask, path].concat());
        need(told(&["method"])? == "elicitation/create", || {
            "not an elicitation".to_owned()
        })?;
        need(told(&["params", "mode"])? == "url", || {
            "not by url".to_owned()
        })?;
        need(!told(&["params", "message"])?.is_empty(), || {
            "no message".to_owned()
        })?;
        let url = told(&["params", "url"])?.to_owned();
        let state = reply.needed(&["result", "requestState"])?.to_owned();
        need(!state.contains(user), || {
            "the state names the user".to_owned()
        })?;
        Ok(Self {
            user: user.to_owned(),
            url,
            state,
        })
    }

    pub(super) fn retry(&self, wire: &Wire, responses: &str) -> Tried<Reply> {
        wire.call(&Call::first(&self.user, TOOL).retry(responses, &self.state))
    }
}

/// Requires a finished call without a fault.
pub(super) fn finished(reply: &Reply) -> Tried<()> {
    let result = reply.result("complete")?;
    need(!failed(result), || {
        format!("finished with a fault: {result:?}")
    })
}

/// Requires a finished call that says it was declined.
pub(super) fn refused_politely(reply: &Reply) -> Tried<()> {
    let result = reply.result("complete")?;
    let content = result.get("content").map(Json::list).unwrap_or_default();
    let says = |block: &Json| {
        block
            .get("text")
            .and_then(Json::text)
            .is_some_and(|text| text.to_lowercase().contains("declined"))
    };
    need(failed(result) && content.iter().any(says), || {
        format!("not a polite refusal: {result:?}")
    })
}

fn failed(result: &Json) -> bool {
    result.get("isError") == Some(&Json::Bool(true))
}

/// Types the key and presses the button that sends it.
pub(super) fn typed(browser: &mut Browser, page: &Page) -> Tried<()> {
    let form = page.form(FIELD)?;
    let button = form.controls.iter().find(|one| one.is_button());
    let pressed = button.map(|one| (one.name.as_str(), one.value.as_str()));
    let filled: Vec<(&str, &str)> = pressed.into_iter().chain([(FIELD, KEY)]).collect();
    let done = browser.submit(&page.path, &form, &filled)?;
    need(done.answer.status == 200, || {
        format!(
            "sending the page gets HTTP {}:\n{}",
            done.answer.status, done.answer.body
        )
    })?;
    need(!done.answer.body.contains(KEY), || {
        "the page repeats the key".to_owned()
    })
}

/// Presses the button that refuses.
pub(super) fn refused(browser: &mut Browser, page: &Page) -> Tried<()> {
    let refuses = |form: &&Form| {
        form.controls
            .iter()
            .any(|one| one.is_hidden() && one.value == "decline")
    };
    let all = forms(&page.answer.body);
    let form = all
        .iter()
        .find(refuses)
        .ok_or("the page cannot be declined")?;
    let done = browser.submit(&page.path, form, &[])?;
    need(done.answer.status == 200, || {
        format!("declining gets HTTP {}", done.answer.status)
    })
}

/// What every page owes its reader.
pub(super) fn shown_well(page: &Page, user: &str) -> Tried<()> {
    let answer = &page.answer;
    need(answer.status == 200, || {
        format!("the page gets HTTP {}", answer.status)
    })?;
    let rules = [
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ];
    for (name, part) in rules {
        need(
            answer
                .header(name)
                .is_some_and(|value| value.contains(part)),
            || format!("no `{part}` in {name}"),
        )?;
    }
    let secret = page
        .form(FIELD)?
        .controls
        .into_iter()
        .any(|one| one.name == FIELD && one.kind == "password");
    need(secret, || "the key is typed in the clear".to_owned())?;
    need(
        !answer
            .body
            .replace("<script src=\"/ui/reveal.js\" defer></script>", "")
            .contains("<script"),
        || "the page has a script other than the one that shows what is typed".to_owned(),
    )?;
    need(answer.body.contains(user), || {
        "the page does not say whose account it is".to_owned()
    })
}
