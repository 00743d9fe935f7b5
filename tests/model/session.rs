//! Plays a script against two servers on one store, and holds all that comes back against the model.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{__private, App, Limits, UnixTime};
use mcp_elicit_tests::{Browser, Client, Got, send, server};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::Case;
use super::machine::{Event, Machine, What};
use super::oracle::{Behind, End, Found, Given, Known, Reading, Uses};
use super::program::{Dice, Op, flat, key, questions};
use super::script::{Act, How, Visit, Wrong};

/// What differs by less than this may be early or late: requests wait for pages and for each other.
const SLACK: u64 = 150_000;
const HOUR: u64 = 3_600_000;
const REFUSED: &str = "requestState is invalid or expired";
const ROUNDS: u8 = 5;

type Checked = Result<(), String>;

/// Two servers on one store, with a clock that no test waits for.
pub struct World {
    runtime: Runtime,
    machine: Machine,
    store: MemoryStore,
    begun: Instant,
    apps: [Served; 2],
    users: u64,
    /// How often what came about: a model that never sees a fork proves nothing of forks.
    pub seen: BTreeMap<&'static str, u64>,
}

/// A server, and where its requests go.
struct Served {
    app: App,
    router: Router,
}

impl World {
    pub fn new() -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).build().unwrap();
        let (machine, store) = (Machine::default(), MemoryStore::new());
        let begun = runtime.block_on(async { Instant::now() });
        let apps = [0, 1].map(|_| runtime.block_on(served(&machine, &store, begun)));
        Self {
            runtime,
            machine,
            store,
            begun,
            apps,
            users: 0,
            seen: BTreeMap::new(),
        }
    }

    /// Milliseconds since the world began.
    fn now(&self) -> u64 {
        let now = self.runtime.block_on(async { Instant::now() });
        now.duration_since(self.begun).as_millis() as u64
    }

    /// Lets time pass, in seconds, and what is under way go on.
    fn pass(&self, seconds: u64) {
        let passes = async { tokio::time::sleep(Duration::from_secs(seconds)).await };
        self.runtime.block_on(passes);
    }

    fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    /// Plays a script. The error says what did not hold.
    pub fn play(&mut self, case: &Case) -> Checked {
        let Case {
            program,
            strict,
            script,
            to_the_end,
        } = case;
        self.users += 1;
        // What the one before has left under way is done first.
        self.pass(100);
        self.machine.load(program);
        let user = format!("user{}", self.users);
        let client = Client::new(&self.apps[0].app, &user);
        let mut session = Session {
            world: self,
            program,
            tool: if *strict { "strict" } else { "run" },
            client,
            user,
            requests: 0,
            calls: 0,
            words: 0,
            states: Vec::new(),
            tickets: Vec::new(),
            behind: Behind::default(),
            uses: BTreeMap::new(),
            had: BTreeSet::new(),
            cut: BTreeSet::new(),
        };
        for (i, act) in script.iter().enumerate() {
            let done = session.act(act).and_then(|()| session.effects());
            done.map_err(|wrong| format!("act {i}, {act:?}: {wrong}"))?;
        }
        if *to_the_end {
            session
                .end()
                .map_err(|wrong| format!("at the end: {wrong}"))?;
        }
        Ok(())
    }
}

async fn served(machine: &Machine, store: &MemoryStore, begun: Instant) -> Served {
    let server = server()
        .store(store.clone())
        .limits(Limits::default().tickets(10_000).rounds(ROUNDS))
        .tools(machine.clone());
    let clock =
        move || UnixTime::from_seconds(1_800_000_000).after(Instant::now().duration_since(begun));
    let server = __private::test::clock(server, clock);
    let app = server.build().await.expect("the server is sound");
    let router = app.router();
    Served { app, router }
}

/// What one client knows.
struct Session<'w> {
    world: &'w mut World,
    program: &'w [Op],
    tool: &'static str,
    user: String,
    client: Client,
    requests: u32,
    calls: u32,
    words: u32,
    states: Vec<Held>,
    tickets: Vec<Ticket>,
    behind: Behind,
    uses: BTreeMap<(u32, u8), Uses>,
    /// Effects that the way to a request shows as done.
    had: BTreeSet<(u32, u8)>,
    /// Requests in which an effect may have been cut off: the server died, or the program ended in an error beside it.
    cut: BTreeSet<u32>,
}

/// A state that the client holds.
struct Held {
    token: String,
    call: u32,
    known: Known,
    expires: u64,
    deadline: u64,
    /// How many requests with it came to the program, or may have.
    used: u8,
    maybe_used: bool,
}

struct Ticket {
    op: u8,
    link: String,
    expires: u64,
    open: bool,
}

/// A request on its way.
#[derive(Clone)]
struct Sent {
    number: u32,
    call: u32,
    state: Option<usize>,
    answers: BTreeMap<String, Given>,
    /// When it was sent, and what was behind the pages then.
    at: u64,
    day: u32,
    behind: Behind,
}

type Going = Pin<Box<dyn Future<Output = Got> + Send>>;

impl Session<'_> {
    fn act(&mut self, act: &Act) -> Checked {
        match act {
            Act::Call { forged, how } => {
                let answers = forged.map_or_else(BTreeMap::new, |n| self.forged(n));
                let sent = self.sent(None, answers);
                self.send(sent, *how)
            }
            Act::Retry {
                state,
                answers,
                how,
            } => {
                let Some(state) = self.pick(*state) else {
                    return Ok(());
                };
                let answers = self.answers(state, *answers);
                let sent = self.sent(Some(state), answers);
                self.send(sent, *how)
            }
            Act::Wrong { state, what } => match self.pick(*state) {
                Some(state) => self.wrong(state, *what),
                None => Ok(()),
            },
            Act::Visit { page, visit } => {
                let open: Vec<_> = self.open_tickets();
                match open.get(*page as usize % open.len().max(1)) {
                    Some(&ticket) => self.visit(ticket, *visit),
                    None => Ok(()),
                }
            }
            Act::Restart(which) => {
                let world = &mut *self.world;
                let served = served(&world.machine, &world.store, world.begun);
                world.apps[usize::from(*which)] = world.runtime.block_on(served);
                Ok(())
            }
            Act::Pass { minutes } => {
                self.world.pass(u64::from(*minutes) * 60);
                Ok(())
            }
            Act::NextDay => {
                self.world.machine.next_day();
                Ok(())
            }
        }
    }

    /// Answers honestly until the run ends.
    fn end(&mut self) -> Checked {
        let before = self.states.len();
        let sent = self.sent(None, BTreeMap::new());
        self.send(sent, How::Well(0))?;
        for _ in 0..=ROUNDS {
            if self.states.len() == before {
                break;
            }
            for ticket in self.open_tickets() {
                self.visit(ticket, Visit::Fill)?;
            }
            let last = self.states.len() - 1;
            let mut answers = BTreeMap::new();
            for key in self.states[last]
                .known
                .pending
                .keys()
                .cloned()
                .collect::<Vec<_>>()
            {
                let given = match &key[..1] {
                    "w" => Given::Word(self.word()),
                    "c" => Given::Yes(true),
                    _ => Given::Opened,
                };
                answers.insert(key, given);
            }
            let sent = self.sent(Some(last), answers);
            self.send(sent, How::Well(1))?;
            if self.states.len() == last + 1 {
                break;
            }
            if self.states.len() - before > usize::from(ROUNDS) + 1 {
                return Err("a run with honest answers does not end".into());
            }
        }
        self.effects()
    }

    // What is said.

    fn pick(&self, n: u64) -> Option<usize> {
        let many = self.states.len();
        let last = many.checked_sub(1)?;
        Some(if n.is_multiple_of(3) {
            (n / 3) as usize % many
        } else {
            last
        })
    }

    fn word(&mut self) -> String {
        self.words += 1;
        format!("w{}", self.words)
    }

    fn given(&mut self, key: &str, dice: &mut Dice) -> Given {
        match (dice.roll(16), &key[..1]) {
            (0, _) => Given::Decline,
            (1, _) => Given::Cancel,
            (2, _) => Given::Odd(dice.roll(3) as u8),
            (_, "a") => Given::Opened,
            (3 | 4, _) => Given::Bad(dice.roll(4) as u8),
            (5, "c") => Given::Yes(false),
            (_, "c") => Given::Yes(true),
            _ => Given::Word(self.word()),
        }
    }

    /// Answers to what the state shows as open, and sometimes to more.
    fn answers(&mut self, state: usize, n: u64) -> BTreeMap<String, Given> {
        let mut dice = Dice(n);
        let keys: Vec<_> = self.states[state].known.pending.keys().cloned().collect();
        let mut answers = if dice.one_in(8) {
            self.forged(n)
        } else {
            BTreeMap::new()
        };
        for key in keys {
            if !dice.one_in(6) {
                let given = self.given(&key, &mut dice);
                answers.insert(key, given);
            }
        }
        answers
    }

    /// Answers to what nobody has asked.
    fn forged(&mut self, n: u64) -> BTreeMap<String, Given> {
        let mut dice = Dice(n);
        let mut all = Vec::new();
        questions(self.program, &mut all);
        let mut answers = BTreeMap::new();
        for op in all {
            if dice.one_in(2) {
                let given = self.given(&key(&op), &mut dice);
                answers.insert(key(&op), given);
            }
        }
        answers
    }

    fn sent(&mut self, state: Option<usize>, answers: BTreeMap<String, Given>) -> Sent {
        self.requests += 1;
        let call = match state {
            Some(state) => self.states[state].call,
            None => {
                self.calls += 1;
                self.calls
            }
        };
        Sent {
            number: self.requests,
            call,
            state,
            answers,
            at: self.world.now(),
            day: self.world.machine.day(),
            behind: self.behind_now(),
        }
    }

    /// The same once more; a first call begins another run.
    fn again(&mut self, sent: &Sent, answers: BTreeMap<String, Given>) -> Sent {
        self.sent(sent.state, answers)
    }

    // How it is sent.

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

    fn send(&mut self, sent: Sent, how: How) -> Checked {
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
    fn wrong(&mut self, state: usize, what: Wrong) -> Checked {
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

    // The pages.

    fn behind_now(&self) -> Behind {
        let now = self.world.now();
        let mut behind = self.behind.clone();
        behind.links.clear();
        for ticket in &self.tickets {
            // One that was filled has a secret behind it.
            if ticket.expires > now {
                behind.links.insert(ticket.link.clone(), ticket.open);
            }
        }
        behind
    }

    /// Those whose pages can surely be used.
    fn open_tickets(&self) -> Vec<usize> {
        let now = self.world.now();
        let all = self.tickets.iter().enumerate();
        let open = all.filter(|(_, t)| t.open && t.expires > now + SLACK);
        open.map(|(i, _)| i).collect()
    }

    fn visit(&mut self, ticket: usize, visit: Visit) -> Checked {
        let visiting = self.visiting(ticket, visit);
        let visited = self.world.runtime.block_on(visiting);
        self.visited(ticket, visit, &visited)
    }

    fn visiting(&self, ticket: usize, visit: Visit) -> Going {
        let mut browser = Browser::new(&self.world.apps[1].app);
        let link = self.tickets[ticket].link.clone();
        let secret = format!("secret-{}-0123456789abcdef", secret_of(ticket));
        let user = match visit {
            Visit::Stranger => "stranger".to_owned(),
            _ => self.user.clone(),
        };
        Box::pin(async move {
            let page = browser.sign_in(&link, &user).await;
            match visit {
                Visit::Decline => browser.decline(&link, &page).await,
                _ => browser.submit(&link, &page, &[("api_key", &secret)]).await,
            }
        })
    }

    /// Notes what a visit has changed.
    fn visited(&mut self, ticket: usize, visit: Visit, got: &Got) -> Checked {
        let done = !got.status.is_client_error() && !got.status.is_server_error();
        let op = self.tickets[ticket].op;
        match visit {
            Visit::Stranger if done => return Err(format!("a stranger at a page: {}", got.text)),
            Visit::Stranger => {}
            _ if !done => return Err(format!("{} at a page: {}", got.status, got.text)),
            Visit::Fill => {
                self.world.count("filled");
                let secret = secret_of(ticket).to_string();
                self.behind.secrets.insert(op, secret);
                self.tickets[ticket].open = false;
            }
            Visit::Decline => self.tickets[ticket].open = false,
        }
        Ok(())
    }

    // What came back.

    fn log_of(&self, request: u32) -> Vec<Event> {
        self.world.machine.log(|e| e.request == request)
    }

    fn judge(&mut self, sent: &Sent, got: Option<&Got>, beside: bool, lost: bool) -> Checked {
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
            let text = got.first_text();
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
                        open: true,
                    });
                }
                open.pending.link = Some(link);
            }
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

    // What was done.

    /// Whom an effect is once for: a run, or the user.
    fn group(op: &Op, call: u32) -> u32 {
        match op {
            Op::Once { by: true, .. } => 0,
            _ => call,
        }
    }

    /// No effect is done twice, and each result is that of the one that was done.
    fn effects(&self) -> Checked {
        let log = self.world.machine.log(|_| true);
        let mut ops = Vec::new();
        flat(self.program, &mut ops);
        let mut keys = BTreeMap::new();
        for op in &ops {
            let of_op = log.iter().filter(|e| e.op == op.id());
            let mut groups: BTreeMap<u32, Vec<&Event>> = BTreeMap::new();
            for event in of_op {
                groups
                    .entry(Self::group(op, event.call))
                    .or_default()
                    .push(event);
            }
            for (group, events) in groups {
                for event in &events {
                    if let What::Began(key) = &event.what
                        && *keys.entry(key.clone()).or_insert((op.id(), group)) != (op.id(), group)
                    {
                        return Err(format!("{op:?} has the idempotency key of another"));
                    }
                }
                let distinct: BTreeSet<_> = keys
                    .iter()
                    .filter(|(_, g)| **g == (op.id(), group))
                    .collect();
                if distinct.len() > 1 {
                    return Err(format!("{op:?} had two idempotency keys in one run"));
                }
                if let Op::Once {
                    retry_after_crash, ..
                } = op
                {
                    self.effect(op, &events, *retry_after_crash)?;
                }
            }
        }
        Ok(())
    }

    fn effect(&self, op: &Op, events: &[&Event], retry_after_crash: bool) -> Checked {
        let of = |request: u32, wanted: &dyn Fn(&What) -> bool| {
            events
                .iter()
                .any(|e| e.request == request && wanted(&e.what))
        };
        let did = |what: &What| matches!(what, What::Did(_));
        let failed = |what: &What| *what == What::Failed;
        let began: Vec<u32> = events
            .iter()
            .filter(|e| matches!(e.what, What::Began(_)))
            .map(|e| e.request)
            .collect();
        // Begun, and neither known to have failed nor to be taken over.
        let done: Vec<u32> = began
            .iter()
            .copied()
            .filter(|r| !of(*r, &failed))
            .filter(|r| of(*r, &did) || !(retry_after_crash && self.cut.contains(r)))
            .collect();
        if done.len() > 1 {
            return Err(format!("{op:?} was done {} times: {events:?}", done.len()));
        }
        let result = events.iter().find_map(|e| match &e.what {
            What::Did(result) => Some(result),
            _ => None,
        });
        for event in events {
            let What::Returned(returned) = &event.what else {
                continue;
            };
            let uses = self.uses.get(&(event.request, op.id()));
            let same = |request: &u32| {
                let theirs = self.uses.get(&(*request, op.id()));
                uses.zip(theirs).and_then(|(a, b)| a.same(b))
            };
            let others = || began.iter().filter(|r| **r != event.request);
            let may = match returned {
                Ok(it) => {
                    let differs = done.first().is_some_and(|r| same(r) == Some(false));
                    Some(it) == result && (!differs || self.had.contains(&(event.request, op.id())))
                }
                Err(why) => match why.as_str() {
                    "It did not work." => of(event.request, &failed),
                    "This was already done with other answers." => {
                        others().any(|r| same(r) != Some(true))
                    }
                    "This was started, but its outcome is unknown. Check before repeating it." => {
                        !retry_after_crash
                            && others().any(|r| self.cut.contains(r) && !of(*r, &did))
                    }
                    _ => false,
                },
            };
            if !may {
                return Err(format!("{op:?} came back with {returned:?}: {events:?}"));
            }
        }
        Ok(())
    }
}

/// What a request came to, in a word.
fn kind(got: Option<&Got>) -> &'static str {
    let Some(got) = got else {
        return "gone";
    };
    let text = got.first_text();
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
        ]
        .iter()
        .find_map(starts)
        .unwrap_or("other"),
    }
}

/// The number in the secret that a ticket's page is given.
fn secret_of(ticket: usize) -> usize {
    ticket + 1
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
