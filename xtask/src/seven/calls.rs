//! The calls of the README: asking by a page, from every side that matters to a client, a user and a thief.
//!
//! Uses `mcp` for the client and `browser` for the user. Each function is one part of the run.

use std::thread;
use std::time::{Duration, Instant};

use super::ask::{
    ACCEPT, Ask, DECLINE, FIELD, TOOL, finished, refused, refused_politely, shown_well, typed,
};
use super::browser::Browser;
use super::form::Form;
use super::mcp::{Call, Reply, Wire};
use super::{Bench, HOLD, KEY, need};
use crate::http::Answer;
use crate::json::Json;
use crate::place::Tried;

/// A client that knows only forms is told what it lacks.
pub(super) fn undeclared(bench: &mut Bench) -> Tried<()> {
    for capabilities in [
        r#"{"elicitation":{}}"#,
        r#"{"elicitation":{"form":{}}}"#,
        "{}",
    ] {
        let reply = bench.wire.call(&Call {
            capabilities,
            ..Call::first("una", TOOL)
        })?;
        reply.error(400, -32021)?;
        let lacking = Json::read(r#"{"elicitation":{"url":{}}}"#)?;
        let named = reply.json.at(&["error", "data", "requiredCapabilities"]);
        need(named == Some(&lacking), || {
            format!("requiredCapabilities is {named:?}")
        })?;
        let message = reply.needed(&["error", "message"])?;
        need(message.contains("elicitation.url"), || {
            format!("the message does not name elicitation.url: {message}")
        })?;
    }
    Ok(())
}

/// A client that can open links gets one, on our own origin and with nothing of the user in it.
pub(super) fn asked(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "vera")?;
    let own = format!("http://{}/ui/set_api_key/", bench.wire.address());
    need(ask.url.starts_with(&own), || {
        format!("the link is {}", ask.url)
    })?;
    let ticket = ask.url.get(own.len()..).unwrap_or_default();
    need(
        ticket.len() >= 20
            && ticket
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        || format!("`{ticket}` is no random ticket"),
    )?;
    need(!ask.url.contains("vera"), || {
        "the link names the user".to_owned()
    })?;
    need(Ask::new(&bench.wire, "vera")?.state != ask.state, || {
        "two asks have one state".to_owned()
    })
}

/// The page is opened, signed in to and sent; the retry finds the key, and so does the next call.
pub(super) fn completed(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "alice")?;
    let start = Instant::now();
    let again = Ask::of(&ask.retry(&bench.wire, ACCEPT)?, "alice")?;
    let held = start.elapsed();
    need(
        held + Duration::from_millis(500) >= Duration::from_secs(HOLD),
        || format!("held for {held:?} only"),
    )?;
    need(held < Duration::from_secs(HOLD + 5), || {
        format!("held for {held:?}")
    })?;
    need(again.url == ask.url, || {
        format!(
            "asked again with another link: {} then {}",
            ask.url, again.url
        )
    })?;

    let mut browser = Browser::new(bench.wire.address());
    let page = browser.open_as("alice", &ask.url)?;
    shown_well(&page, "alice")?;
    typed(&mut browser, &page)?;

    finished(&again.retry(&bench.wire, ACCEPT)?)?;
    // The key is kept, so the next run asks nothing.
    finished(&bench.wire.call(&Call::first("alice", TOOL))?)
}

/// A held retry is answered as soon as the page is done.
pub(super) fn woken(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "wanda")?;
    woken_by(&ask, &bench.wire, &bench.wire)
}

/// A refusal ends the call politely, in the client or on the page, however often, and also when the key is there.
pub(super) fn declined(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "dora")?;
    refused_politely(&ask.retry(&bench.wire, DECLINE)?)?;
    refused_politely(&ask.retry(&bench.wire, DECLINE)?)?;

    // Declined on the page itself: the client's `accept` does not change that.
    let ask = Ask::new(&bench.wire, "dana")?;
    let mut browser = Browser::new(bench.wire.address());
    let page = browser.open_as("dana", &ask.url)?;
    refused(&mut browser, &page)?;
    refused_politely(&ask.retry(&bench.wire, ACCEPT)?)?;

    let ask = Ask::new(&bench.wire, "doris")?;
    let mut browser = Browser::new(bench.wire.address());
    let page = browser.open_as("doris", &ask.url)?;
    typed(&mut browser, &page)?;
    finished(&ask.retry(&bench.wire, ACCEPT)?)?;
    refused_politely(&ask.retry(&bench.wire, DECLINE)?)
}

/// State that is another's, or for another request, or changed, is refused with one and the same text.
pub(super) fn refused_state(bench: &mut Bench) -> Tried<()> {
    let wire = &bench.wire;
    let ask = Ask::new(wire, "rosa")?;
    let other = other_tool(wire)?;
    let first = Call::first("rosa", TOOL);
    let own = first.retry(ACCEPT, &ask.state);
    let mut refused = vec![
        (
            "sent by another user",
            Call {
                user: "robert",
                ..own.clone()
            },
        ),
        (
            "for another tool",
            Call {
                tool: &other,
                ..own.clone()
            },
        ),
        (
            "for other arguments",
            Call {
                arguments: r#"{"other":true}"#,
                ..own
            },
        ),
    ];
    let changed = changed(&ask.state);
    refused.extend(
        changed
            .iter()
            .map(|state| ("changed", first.retry(ACCEPT, state))),
    );

    let mut text: Option<String> = None;
    for (how, call) in refused {
        let reply = wire.call(&call)?;
        let state = call.state.unwrap_or_default();
        reply
            .error(200, -32602)
            .map_err(|fault| format!("state {how} (`{state}`): {fault}"))?;
        let message = reply.needed(&["error", "message"])?.to_owned();
        need(reply.json.at(&["error", "data"]).is_none(), || {
            format!("state {how}: the refusal has data")
        })?;
        let known = text.get_or_insert_with(|| message.clone());
        need(*known == message, || {
            format!("state {how}: `{message}` where others say `{known}`")
        })?;
    }
    Ok(())
}

/// The link of one user is no use to another, and neither are forged posts; the ask stays open.
pub(super) fn other_user(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "olga")?;
    let mut bob = Browser::new(bench.wire.address());
    let page = bob.open_as("bob", &ask.url)?;
    need(page.answer.status == 403, || {
        format!("bob at olga's link gets HTTP {}", page.answer.status)
    })?;
    need(page.form(FIELD).is_err(), || {
        "bob sees olga's form".to_owned()
    })?;
    need(!page.answer.body.contains("olga"), || {
        "bob is told whose link it is".to_owned()
    })?;

    let mut olga = Browser::new(bench.wire.address());
    let page = olga.open_as("olga", &ask.url)?;
    let form = page.form(FIELD)?;
    let filled = [(FIELD, KEY)];
    let without = Form {
        controls: form
            .controls
            .iter()
            .filter(|one| !one.is_hidden())
            .cloned()
            .collect(),
        ..form.clone()
    };
    let forged = [
        (
            "by bob with olga's token",
            bob.send(&page.path, &form, &filled, "same-origin")?,
        ),
        (
            "without a token",
            olga.send(&page.path, &without, &filled, "same-origin")?,
        ),
        (
            "from another site",
            olga.send(&page.path, &form, &filled, "cross-site")?,
        ),
    ];
    for (how, (_, Answer { status, .. })) in forged {
        need(status == 403, || format!("a post {how} gets HTTP {status}"))?;
    }

    // Nothing was stored: the same ask is open, and olga can still answer it.
    let again = Ask::of(&ask.retry(&bench.wire, ACCEPT)?, "olga")?;
    need(again.url == ask.url, || "the link changed".to_owned())?;
    need(
        bench
            .wire
            .call(&Call::first("bob", TOOL))?
            .result("input_required")
            .is_ok(),
        || "bob has a key".to_owned(),
    )?;
    typed(&mut olga, &page)?;
    finished(&again.retry(&bench.wire, ACCEPT)?)
}

/// The server ends between the question and the page, and again before the retry.
pub(super) fn restarted(bench: &mut Bench) -> Tried<()> {
    let ask = Ask::new(&bench.wire, "rita")?;
    bench.server.restart()?;
    let mut browser = Browser::new(bench.wire.address());
    let page = browser.open_as("rita", &ask.url)?;
    bench.server.restart()?;
    typed(&mut browser, &page)?;
    bench.server.restart()?;
    finished(&ask.retry(&bench.wire, ACCEPT)?)
}

/// Two processes on one data directory: what one asks, the other can show, complete and finish.
pub(super) fn two_processes(bench: &mut Bench) -> Tried<()> {
    let other = bench.second()?;
    let second = bench.wire.beside(other.address());

    let ask = Ask::new(&bench.wire, "tina")?;
    let origin = format!("http://{}", bench.wire.address());
    let path = ask
        .url
        .strip_prefix(&origin)
        .ok_or("the link is not on the first process")?;
    let mut browser = Browser::new(second.address());
    let page = browser.open_as("tina", path)?;
    typed(&mut browser, &page)?;
    finished(&ask.retry(&bench.wire, ACCEPT)?)?;
    finished(&second.call(&Call::first("tina", TOOL))?)?;

    // A retry held by the second is woken by the page of the first.
    let ask = Ask::new(&bench.wire, "theo")?;
    woken_by(&ask, &second, &bench.wire)
}

/// A retry sent to `held` while the page is open at `shown` is answered when the page is done, not later.
fn woken_by(ask: &Ask, held: &Wire, shown: &Wire) -> Tried<()> {
    let mut browser = Browser::new(shown.address());
    let page = browser.open_as(&ask.user, &ask.url)?;
    thread::scope(|scope| {
        let start = Instant::now();
        let retry = scope.spawn(|| ask.retry(held, ACCEPT));
        thread::sleep(Duration::from_millis(400));
        typed(&mut browser, &page)?;
        let sent = start.elapsed();
        finished(&retry.join().map_err(|_| "the retry broke off")??)?;
        let late = start.elapsed().saturating_sub(sent);
        need(late < Duration::from_millis(2000), || {
            format!("answered {late:?} after the page was done")
        })
    })
}

/// A tool that is not the one asked for.
fn other_tool(wire: &Wire) -> Tried<String> {
    let body = super::mcp::request("tools/list", "", super::mcp::BOTH);
    let reply =
        Reply::read(&wire.post(&super::mcp::headers("tools/list", None), body.as_bytes())?)?;
    let tools = reply
        .result("complete")?
        .get("tools")
        .map(Json::list)
        .unwrap_or_default();
    let names = tools
        .iter()
        .filter_map(|tool| tool.get("name").and_then(Json::text));
    names
        .into_iter()
        .find(|name| *name != TOOL)
        .map(str::to_owned)
        .ok_or_else(|| "the example has one tool only".to_owned())
}

/// The state with each of its characters changed, with every other last character, shortened and made longer.
fn changed(state: &str) -> Vec<String> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut all = Vec::new();
    for (at, old) in state.char_indices() {
        let last = at + old.len_utf8() == state.len();
        let news =
            DIGITS
                .chars()
                .filter(|new| *new != old)
                .take(if last { DIGITS.len() } else { 1 });
        let (before, after) = state.split_at(at);
        let after = after.get(old.len_utf8()..).unwrap_or_default();
        all.extend(news.map(|new| format!("{before}{new}{after}")));
        all.push(format!("{before}{after}"));
    }
    all.extend(["=", "A", "AAAA", " ", "\n", "é", ".e1."].map(|more| format!("{state}{more}")));
    all.extend(["A", " ", "e1."].map(|more| format!("{more}{state}")));
    all.extend(["e1.", "e1.AAAA", "x", " "].map(str::to_owned));
    all.push("A".repeat(100_000));
    all
}
