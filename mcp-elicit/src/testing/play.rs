//! Plays a script: sends rounds and answers what they ask, until the call ends or is to stop.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::call::{TestCall, Until};
use super::client::{self, Round};
use super::compare;
use super::fail::fail;
use super::line::fits;
use super::notice::Notice;
use super::parked::{Parked, Start};
use super::run::{Asked, Run};
use super::script;
use crate::runtime::journal;
use crate::runtime::probe::Probe;

/// Plays a script to the end of its call.
pub(super) async fn to_the_end(call: TestCall) -> Run {
    let mut play = Play::new(call);
    if play.call.live && play.call.start.is_some() {
        play.fail("What was parked goes on with its sealed state: leave out `.live()`.");
    }
    let reply = if play.call.live {
        play.live().await
    } else {
        match play.rounds(|_| false).await {
            Ended::Replied(reply) => reply,
            Ended::Stopped { .. } => fail("nothing was to stop at"),
        }
    };
    let run = play.run(&reply);
    if !play.call.script.0.is_empty() {
        let lines = play.call.script.listed();
        play.fail(&format!(
            "These lines of the script answered nothing:\n{lines}\n\n{}",
            run.said()
        ));
    }
    run
}

/// Plays a script until its call asks a question.
pub(super) async fn until(until: Until) -> Parked {
    let Until { call, key, exact } = until;
    let mut play = Play::new(call);
    if play.call.live {
        play.fail("Over a live connection there is nothing to stop with: leave out `.live()` or `.until`.");
    }
    let ended = play.rounds(|asked| fits(&key, exact, asked)).await;
    let (start, journal) = match ended {
        Ended::Stopped { start, journal } => (start, journal),
        Ended::Replied(reply) => {
            let said = play.run(&reply).said();
            play.fail(&format!("The question `{key}` was not asked.\n\n{said}"));
        }
    };
    let keys = || start.open.iter().map(Asked::key);
    // What answers something that is asked in this round is for whoever goes on.
    let unused = |line: &super::line::Line| !keys().any(|key| line.fits(key));
    if play.call.script.0.iter().any(unused) {
        play.call.script.0.retain(unused);
        let lines = play.call.script.listed();
        play.fail(&format!(
            "When `{key}` was asked, these lines of the script had answered nothing:\n{lines}"
        ));
    }
    let at = keys().find(|it| fits(&key, exact, it)).unwrap_or_default();
    Parked {
        key: at.to_owned(),
        call: TestCall {
            start: None,
            ..play.call
        },
        start,
        journal,
    }
}

/// Where rounds came to.
enum Ended {
    Replied(Value),
    Stopped {
        start: Start,
        journal: Option<journal::Parked>,
    },
}

struct Play {
    call: TestCall,
    asked: Vec<Asked>,
    rounds: usize,
    cause: Option<String>,
    notices: Vec<Notice>,
}

impl Play {
    fn new(call: TestCall) -> Self {
        Self {
            call,
            asked: Vec::new(),
            rounds: 0,
            cause: None,
            notices: Vec::new(),
        }
    }

    /// Sends rounds until one is no question, or a question is to stop at.
    async fn rounds(&mut self, stops: impl Fn(&str) -> bool) -> Ended {
        let (mut state, mut answers) = (None, None);
        if let Some(start) = self.call.start.clone() {
            state = Some(start.state);
            let first = self.asked.len();
            self.asked.extend(start.open.into_iter().map(|mut asked| {
                // It may come from another version of the server.
                asked.lasts = false;
                asked
            }));
            answers = Some(self.answers(first, true).await);
        }
        loop {
            let (reply, probe) = self.send(state.take(), answers.take()).await;
            let asks = reply.pointer("/result/resultType") == Some(&"input_required".into());
            let Some(requests) = reply.pointer("/result/inputRequests").filter(|_| asks) else {
                return Ended::Replied(reply);
            };
            let first = self.note(requests);
            let next = reply
                .pointer("/result/requestState")
                .and_then(Value::as_str);
            let next = next.unwrap_or_default().to_owned();
            let open = self.asked.get(first..).unwrap_or_default();
            if open.iter().any(|asked| stops(asked.key())) {
                let start = Start {
                    state: next,
                    open: open.to_vec(),
                };
                let journal = probe.found().parked.clone();
                return Ended::Stopped { start, journal };
            }
            state = Some(next);
            answers = Some(self.answers(first, false).await);
        }
    }

    /// Sends one round, twice if the response to the first is lost.
    async fn send(&mut self, state: Option<String>, answers: Option<Value>) -> (Value, Arc<Probe>) {
        let round = self.round(state, answers);
        let mut probe = self.probe(None);
        let mut reply = client::call(&self.call.app, &round, &probe).await;
        self.rounds += 1;
        self.check(&probe, 0);
        if self.call.app.takes_loss() {
            probe = self.probe(None);
            reply = client::call(&self.call.app, &round, &probe).await;
            self.check(&probe, 0);
        }
        self.heard(&probe);
        (reply, probe)
    }

    /// Sends one request, and answers what is asked while it waits.
    async fn live(&mut self) -> Value {
        let (app, round) = (self.call.app.clone(), self.round(None, None));
        let (send, mut pushes) = mpsc::channel(1);
        let probe = self.probe(Some(send));
        let mut reply = std::pin::pin!(client::call(&app, &round, &probe));
        let mut checked = 0;
        let reply = loop {
            let push = tokio::select! {
                biased;
                reply = &mut reply => break reply,
                Some(push) = pushes.recv() => push,
            };
            self.rounds += 1;
            checked = self.check(&probe, checked);
            let requests = serde_json::from_str(&push.questions).unwrap_or_default();
            let first = self.note(&requests);
            let answers = self.answers(first, false).await;
            // Where nobody waits for them any more, the reply says why.
            let _ = push.answers.send(answers.to_string());
        };
        self.rounds += 1;
        self.check(&probe, checked);
        self.heard(&probe);
        reply
    }

    /// Notes what came beside the last reply.
    fn heard(&mut self, probe: &Probe) {
        self.cause = probe.found().cause.clone();
        self.notices.extend(
            probe
                .notices
                .take()
                .iter()
                .filter_map(|text| Notice::read(text)),
        );
    }

    fn round(&self, state: Option<String>, answers: Option<Value>) -> Round {
        Round {
            user: self.call.user.clone(),
            method: self.call.method,
            tool: self.call.tool.clone(),
            arguments: self.call.arguments.clone(),
            capabilities: self.call.capabilities.clone(),
            state,
            answers,
        }
    }

    fn probe(&self, peer: Option<mpsc::Sender<crate::runtime::probe::Push>>) -> Arc<Probe> {
        Arc::new(Probe::new(self.call.twice, peer))
    }

    /// Fails if a round did not do the same again; how many rounds have been looked at.
    fn check(&self, probe: &Probe, from: usize) -> usize {
        let rounds = probe.found().rounds.clone();
        for passes in rounds.iter().skip(from) {
            if let Some(fault) = compare::fault(passes, &self.asked) {
                self.fail(&fault);
            }
        }
        rounds.len()
    }

    /// Notes what is asked; where its part of what was asked begins.
    fn note(&mut self, requests: &Value) -> usize {
        let first = self.asked.len();
        for (key, request) in requests.as_object().into_iter().flatten() {
            let asked = Asked::new(key, self.rounds, request);
            let before = self.asked.iter().rfind(|it| it.key() == key && it.lasts);
            let fault = before.and_then(|before| compare::across_rounds(before, &asked));
            if let Some(fault) = fault.filter(|_| self.call.twice) {
                self.fail(&fault);
            }
            self.asked.push(asked);
        }
        first
    }

    /// Answers what was asked from `first` on. Who goes on from a parked run may leave something
    /// `open`.
    async fn answers(&mut self, first: usize, open: bool) -> Value {
        let mut answers = Map::new();
        for i in first..self.asked.len() {
            let Some(asked) = self.asked.get(i).cloned() else {
                continue;
            };
            let Some(line) = self.call.script.take(asked.key()) else {
                if open {
                    continue;
                }
                self.fail(&format!(
                    "The script has no line for this question:\n\n{asked}\n\nAdd one for its type, such as \
                     `.accept(..)`, `.fill(..)`, `.confirm(..)`, `.sampled(..)`, `.roots(..)`, `.decline::<_>()` or `.skip::<_>()`. Lines left: {}",
                    match self.call.script.listed() {
                        none if none.is_empty() => "none.".to_owned(),
                        lines => lines,
                    }
                ));
            };
            let answer = script::answer(&self.call.app, &self.call.user, &line, &asked).await;
            if let Some(answer) = answer {
                answers.insert(asked.key().to_owned(), answer);
            }
            if let Some(asked) = self.asked.get_mut(i) {
                asked.answered = Some(line.to_string());
            }
        }
        Value::Object(answers)
    }

    fn run(&self, reply: &Value) -> Run {
        let (asked, notices) = (self.asked.clone(), self.notices.clone());
        Run::new(reply, asked, self.rounds, self.cause.clone(), notices)
    }

    /// Fails the test, with all that was shown.
    fn fail(&self, text: &str) -> ! {
        let (call, at) = (&self.call, self.call.at);
        let asked: String = self.asked.iter().map(Asked::in_short).collect();
        let asked = if asked.is_empty() {
            "\n  nothing".to_owned()
        } else {
            asked
        };
        fail(&format!(
            "the call of `{}` at {}:{} by {:?}\n\n{text}\n\nAsked so far:\n{asked}\n",
            call.tool,
            at.file(),
            at.line(),
            call.user
        ))
    }
}
