//! How a request is sent: well, twice at once, by a client that goes away, to a server that dies.

use std::collections::BTreeMap;
use std::task::Poll;

use axum::body::Body;
use mcp_elicit_tests::{Got, send};
use serde_json::{Map, Value, json};

use super::known::Given;
use super::script::{How, Wrong};
use super::session::{Checked, Going, Sent, Session};

/// What every refused state is told.
pub(super) const REFUSED: &str = "requestState is invalid or expired";

impl Session<'_> {
    fn going(&self, sent: &Sent, app: u8) -> Going {
        let params = json!({ "arguments": { "call": sent.call } });
        let answers = sent.answers.iter();
        let answers = answers.map(|(k, g)| (k.clone(), written(g)));
        let answers = Value::Object(answers.collect::<Map<_, _>>());
        let state = sent.state.map(|s| self.states[s].token.clone());
        self.raw(
            sent.number,
            app,
            &self.user,
            self.tool,
            params,
            state,
            answers,
        )
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the request")]
    fn raw(
        &self,
        number: u32,
        app: u8,
        user: &str,
        tool: &str,
        mut params: Value,
        state: Option<String>,
        answers: Value,
    ) -> Going {
        let client = if user == self.user {
            self.client.clone()
        } else {
            self.client.as_user(user)
        };
        params["name"] = tool.into();
        params["inputResponses"] = answers;
        if let Some(state) = state {
            params["requestState"] = state.into();
        }
        let mut meta = client.meta();
        meta["io.modelcontextprotocol/clientInfo"]["name"] = number.to_string().into();
        params["_meta"] = meta;
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = client.build("tools/call", Some(tool));
        let request = request.body(Body::from(body.to_string())).unwrap();
        let router = self.world.apps[usize::from(app)].router.clone();
        Box::pin(async move { send(&router, request).await })
    }

    pub(super) fn send(&mut self, sent: Sent, how: How) -> Checked {
        match how {
            How::Well(app) | How::Lost(app) => {
                let going = self.going(&sent, app);
                let got = self.world.runtime.block_on(going);
                self.judge(&sent, Some(&got), false, how == How::Lost(app))
            }
            How::Twice | How::Torn(_) => {
                let answers = match (how, sent.state) {
                    (How::Torn(n), Some(state)) => self.answers(state, n),
                    _ => sent.answers.clone(),
                };
                let other = self.again(&sent, answers);
                let (one, two) = (self.going(&sent, 0), self.going(&other, 1));
                let both = async { tokio::join!(one, two) };
                let (one, two) = self.world.runtime.block_on(both);
                self.judge(&sent, Some(&one), true, false)?;
                self.judge(&other, Some(&two), true, false)
            }
            How::Gone(polls) => {
                let mut going = Some(self.going(&sent, 0));
                let got = self.world.runtime.block_on(async {
                    let got = some_polls(going.as_mut().unwrap(), polls).await;
                    // Amid a runtime, what must be finished moves to a task of its own.
                    going = None;
                    got
                });
                self.judge(&sent, got.as_ref(), false, true)
            }
            How::Dies(polls) => {
                let mut going = self.going(&sent, 0);
                let some = some_polls(&mut going, polls);
                let got = self.world.runtime.block_on(some);
                // Outside of it, everything ends here.
                drop(going);
                if got.is_none() {
                    self.cut.insert(sent.number);
                }
                self.judge(&sent, got.as_ref(), false, true)
            }
            How::AtPage(visit) => {
                let going = self.going(&sent, 0);
                let ticket = sent.state.and_then(|s| {
                    let pending = self.states[s].known.pending.values();
                    let link = pending.filter_map(|p| p.link.clone()).next()?;
                    self.tickets.iter().position(|t| t.link == link)
                });
                let ticket = ticket.filter(|t| self.open_tickets().contains(t));
                let Some(ticket) = ticket else {
                    drop(going);
                    return self.send(sent, How::Well(0));
                };
                let visiting = self.visiting(ticket, visit);
                let both = async { tokio::join!(going, visiting) };
                let (got, visited) = self.world.runtime.block_on(both);
                self.visited(ticket, visit, &visited)?;
                self.judge(&sent, Some(&got), false, false)
            }
        }
    }

    /// What must be refused, and why does not matter.
    pub(super) fn wrong(&mut self, state: usize, what: Wrong) -> Checked {
        let sent = self.sent(Some(state), BTreeMap::new());
        let token = self.states[state].token.clone();
        let mut params = json!({ "arguments": { "call": sent.call } });
        let (mut user, mut tool, mut text) = (self.user.clone(), self.tool, token.clone());
        let mut answers = json!({});
        match what {
            Wrong::User => user = "stranger".into(),
            Wrong::Arguments => params["arguments"]["call"] = (sent.call + 1).into(),
            Wrong::Tool => tool = if tool == "run" { "strict" } else { "run" },
            Wrong::Bit(n) => {
                let mut bytes = text.into_bytes();
                let at = n as usize % bytes.len();
                // The lowest bit of a letter or digit: the text stays one, mostly of base64url.
                bytes[at] ^= 1;
                text = String::from_utf8(bytes).unwrap();
            }
            Wrong::Cut(n) => text.truncate(n as usize % token.len()),
            Wrong::Answers => answers = json!([]),
        }
        let going = self.raw(sent.number, 1, &user, tool, params, Some(text), answers);
        let got = self.world.runtime.block_on(going);
        let message = got.json["error"]["message"].as_str().unwrap_or_default();
        let told = message == REFUSED
            || what == Wrong::Answers && message.starts_with("`inputResponses` must be");
        if (got.status.as_u16(), got.code(), told) != (200, -32602, true) {
            return Err(format!("it is not refused: {}", got.text));
        }
        self.world.count("wrong");
        match self.log_of(sent.number).first() {
            Some(event) => Err(format!("it is refused, and yet: {event:?}")),
            None => Ok(()),
        }
    }
}

/// Polls a request so often, unless it ends before.
async fn some_polls(going: &mut Going, many: u8) -> Option<Got> {
    let mut left = many;
    std::future::poll_fn(|cx| match going.as_mut().poll(cx) {
        Poll::Ready(got) => Poll::Ready(Some(got)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
/// As a client writes it.
fn written(given: &Given) -> Value {
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    match given {
        Given::Word(word) => accept(json!({ "word": word })),
        Given::Yes(yes) => accept(json!({ "confirm": yes })),
        Given::Bad(0) => accept(json!({})),
        Given::Bad(1) => accept(json!({ "word": 7, "confirm": "maybe" })),
        Given::Bad(2) => accept(json!([])),
        Given::Bad(_) => accept(json!({ "word": "far too long a word", "confirm": null })),
        Given::Opened => json!({ "action": "accept" }),
        Given::Decline => json!({ "action": "decline" }),
        Given::Cancel => json!({ "action": "cancel" }),
        Given::Odd(0) => json!({ "action": "maybe" }),
        Given::Odd(1) => json!({ "content": {} }),
        Given::Odd(_) => json!("accept"),
    }
}
