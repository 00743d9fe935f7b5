//! Holds what came back against the model.

use mcp_elicit_tests::Got;
use serde_json::Map;

use super::known::{End, Found, Known};
use super::machine::Event;
use super::oracle::Reading;
use super::send::REFUSED;
use super::session::{Checked, HOUR, Held, SLACK, Sent, Session, Ticket};
use super::world::ROUNDS;

impl Session<'_> {
    pub(super) fn log_of(&self, request: u32) -> Vec<Event> {
        self.world.machine.log(|e| e.request == request)
    }

    pub(super) fn judge(
        &mut self,
        sent: &Sent,
        got: Option<&Got>,
        beside: bool,
        lost: bool,
    ) -> Checked {
        let log = self.log_of(sent.number);
        let wrong = |what: &str| match got {
            Some(got) => Err(format!("{what}: {}\nlog: {log:?}", got.text)),
            None => Err(format!("{what}\nlog: {log:?}")),
        };
        let known = match sent.state {
            Some(state) => self.states[state].known.clone(),
            None => Known::default(),
        };
        let message = |got: &Got| got.json["error"]["message"].as_str().map(str::to_owned);
        let is_refused = got.and_then(message).is_some_and(|m| m == REFUSED);
        if let Some(state) = sent.state {
            let strict = self.tool == "strict";
            let state = &mut self.states[state];
            let end = state.expires.min(state.deadline);
            let used = strict && state.used > 0;
            let maybe = strict && (state.maybe_used || beside)
                || sent.at + SLACK > end && sent.at < end + SLACK;
            let must = used && !maybe || sent.at >= end + SLACK;
            if is_refused && !must && !used && !maybe {
                return wrong("it is refused for no reason");
            }
            if !is_refused && must && got.is_some() {
                return wrong("it is not refused");
            }
            if is_refused {
                self.world.count(if used { "used" } else { "expired" });
                return if log.is_empty() {
                    Ok(())
                } else {
                    wrong("refused, and yet")
                };
            }
            match got {
                Some(_) => state.used += 1,
                None => state.maybe_used = true,
            }
            if strict && state.used > 1 {
                return wrong("it was used before");
            }
            if must && !log.is_empty() {
                return wrong("it must not go on");
            }
        } else if is_refused {
            return wrong("a first call is refused");
        }
        let after = self.behind_now();
        let reading = Reading {
            known: &known,
            first: sent.state.is_none(),
            call: sent.call,
            answers: &sent.answers,
            day: sent.day,
            log: &log,
            behind: [&sent.behind, &after],
            found: Found::default(),
        };
        let found = match reading.read(self.program) {
            Ok(found) => found,
            Err(what) => return wrong(&what),
        };
        if !found.ends.is_empty() {
            self.cut.insert(sent.number);
        }
        self.world.count(kind(got));
        let had = known.effects.keys().map(|op| (sent.number, *op));
        self.had.extend(had);
        for (op, uses) in &found.uses {
            self.uses.insert((sent.number, *op), uses.clone());
        }
        let Some(got) = got else {
            return Ok(());
        };
        match self.came_to(&known, &found, got) {
            Err(what) => wrong(&what),
            Ok(Some(shown)) if !lost => self.keep(sent, found, shown, got),
            Ok(_) => Ok(()),
        }
    }

    /// Holds a response against what was found. Returns the keys that were asked.
    fn came_to(
        &self,
        known: &Known,
        found: &Found,
        got: &Got,
    ) -> Result<Option<Vec<String>>, String> {
        let sure_end = found.ends.iter().any(|(_, sure)| *sure);
        let ends = |wanted: &dyn Fn(&End) -> bool| found.ends.iter().any(|(e, _)| wanted(e));
        if got.status.as_u16() != 200 {
            return Err(format!("HTTP status {}", got.status));
        }
        let message = got.json["error"]["message"].as_str().unwrap_or_default();
        match got.code() {
            0 => {}
            -32603 => {
                let text = message.strip_prefix("Internal error ");
                let id = text.and_then(|t| t.strip_suffix('.'));
                let documented = id.is_some_and(|id| id.len() == 8);
                let let_go = found.abandoned && found.said.is_some();
                return match documented && (ends(&|e| *e == End::Internal) || let_go) {
                    true => Ok(None),
                    false => Err("an internal error without a reason".into()),
                };
            }
            -32602 if message.starts_with("inputResponses[") => {
                return match ends(&|e| *e == End::Malformed) {
                    true => Ok(None),
                    false => Err("no answer was malformed".into()),
                };
            }
            _ => return Err("an error that no document names".into()),
        }
        let agreed = found.opens.iter().all(|o| o.page && o.agreed);
        let many = known.round >= ROUNDS && !found.opens.is_empty();
        if got.is_error() {
            let mut text = got.first_text();
            if let Some((done, rest)) = done_so_far(text) {
                // No more than what was done.
                let known = |name: &str| known_effects(found).any(|it| it == name);
                if let Some(name) = done.split(", ").find(|name| !known(name)) {
                    return Err(format!("{name} was not done"));
                }
                text = rest;
            }
            let told = ends(&|e| matches!(e, End::Told(begin) if text.starts_with(begin)));
            let rounds = text.starts_with("This was asked too many times without an end")
                || text == "Finish the page that was opened, then call this tool again.";
            return match told || rounds && many && !sure_end {
                true => Ok(None),
                false => Err("an error without a reason".into()),
            };
        }
        if sure_end {
            return Err(format!("it should have ended: {:?}", found.ends));
        }
        if let Some(lack) = found.lacks.first() {
            return Err(format!("{lack}, and nothing was in its way"));
        }
        if !got.asks() {
            return match &found.said {
                Some(said) if *said == got.first_text() && !found.abandoned => Ok(None),
                Some(said) => Err(format!("it should say {said}")),
                None => Err("a result while a question is open".into()),
            };
        }
        if found.said.is_some() {
            return Err("it asks although all is answered".into());
        }
        if many && !agreed {
            return Err("it asks for one round too many".into());
        }
        let asked = &got.json["result"]["inputRequests"];
        let shown: Vec<String> = asked
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .collect();
        for key in &shown {
            let Some(open) = found.opens.iter().find(|o| o.key == *key) else {
                return Err(format!("{key} is asked out of turn"));
            };
            let (text, params) = (&open.pending.question.text, got.asked(key));
            let message = params["message"].as_str().unwrap_or_default();
            let again = format!("{text}\n\nThe last answer could not be used: ");
            if !(message == text && !open.again || message.starts_with(&again) && open.again) {
                return Err(format!("{key} should ask: {text}"));
            }
            let mode = if open.page { "url" } else { "form" };
            if params["mode"] != mode {
                return Err(format!("{key} should be a {mode}"));
            }
        }
        if let Some(open) = found
            .opens
            .iter()
            .find(|o| o.sure && !shown.contains(&o.key))
        {
            return Err(format!("{} is open and not asked", open.key));
        }
        if shown.is_empty() || !got.state().starts_with("e1.") {
            return Err("nothing is asked".into());
        }
        Ok(Some(shown))
    }

    /// Keeps the state that came back.
    fn keep(&mut self, sent: &Sent, found: Found, shown: Vec<String>, got: &Got) -> Checked {
        let now = self.world.now();
        let mut known = found.known;
        known.round = sent.state.map_or(0, |s| self.states[s].known.round);
        let opens: Vec<_> = found
            .opens
            .into_iter()
            .filter(|o| shown.contains(&o.key))
            .collect();
        known.round += u8::from(!opens.iter().all(|o| o.page && o.agreed));
        for mut open in opens {
            if open.page {
                let link = got.link(&open.key);
                let old = open.pending.link.take();
                let old = self.tickets.iter().find(|t| Some(&t.link) == old.as_ref());
                let is_open = old.filter(|t| t.open && t.expires > now + SLACK);
                if is_open.is_some_and(|t| t.link != link) {
                    return Err(format!("{} has another link: {}", open.key, got.text));
                }
                if !self.tickets.iter().any(|t| t.link == link) {
                    let op = open.key.trim_start_matches("account.n").parse().unwrap();
                    self.tickets.push(Ticket {
                        op,
                        link: link.clone(),
                        expires: now + HOUR,
                        // Somebody may have been at another page for it meanwhile.
                        open: !self.behind.secrets.contains_key(&op),
                    });
                }
                open.pending.link = Some(link);
            }
            known.changed.extend(open.changed);
            known.pending.insert(open.key, open.pending);
        }
        let deadline = sent
            .state
            .map_or(now + 8 * HOUR, |s| self.states[s].deadline);
        self.states.push(Held {
            token: got.state(),
            call: sent.call,
            known,
            expires: now + HOUR,
            deadline,
            used: 0,
            maybe_used: false,
        });
        Ok(())
    }
}

/// The effects that an error names before it, and the error.
fn done_so_far(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("Done so far: ")?.split_once(". Then: ")
}

/// The names of the effects that are done.
fn known_effects(found: &Found) -> impl Iterator<Item = String> {
    found.known.effects.keys().map(|op| format!("o{op}"))
}

/// What a request came to, in a word.
fn kind(got: Option<&Got>) -> &'static str {
    let Some(got) = got else {
        return "gone";
    };
    let text = got.first_text();
    let text = done_so_far(text).map_or(text, |(_, rest)| rest);
    let starts =
        |(begin, kind): &(&'static str, &'static str)| text.starts_with(begin).then_some(*kind);
    match got.code() {
        -32602 => "malformed",
        -32603 => "internal",
        _ if got.asks() => "asks",
        _ if !got.is_error() => "finished",
        _ => [
            ("The request for input was declined", "declined"),
            ("The request for input was dismissed", "cancelled"),
            ("The answers could not be used", "invalid"),
            ("This program fails", "fails"),
            ("It did not work", "effect fails"),
            ("This was already done with other answers", "other answers"),
            ("This was started, but its outcome is unknown", "unknown"),
            ("This was asked too many times", "too many rounds"),
            ("Finish the page", "too many rounds at a page"),
            ("The question `", "volatile"),
        ]
        .iter()
        .find_map(starts)
        .unwrap_or("other"),
    }
}
