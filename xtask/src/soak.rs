//! `cargo xtask soak [SECONDS]`: two thousand clients at once, each doing all kinds of things, and going away in the middle
//! of some of them.
//!
//! Uses `server` for the example `soak`, `seven::mcp` for requests and `seven::browser` for pages. It fails where an
//! answer is wrong, where the server's memory goes on growing, and where something is left once all have gone.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::{self, Request};
use crate::place::{self, Tried};
use crate::server::{self, Server};
use crate::seven::browser::Browser;
use crate::seven::mcp::{Call, Reply, headers, request};
use crate::seven::need;

const CLIENTS: u64 = 2000;
/// Ten minutes.
const SECONDS: u64 = 600;
/// How long a client thinks between two requests, in milliseconds, at most.
const THINKS: u64 = 4000;
/// How many samples of the memory are taken in a run.
const SAMPLES: u64 = 60;
/// What is typed on pages.
const KEY: &str = "sk_live_4f9c2e7ab1d05c83";

/// What all clients share.
#[derive(Debug)]
struct Shared {
    address: SocketAddr,
    over: AtomicBool,
    done: [AtomicU64; STORIES.len()],
    cut: AtomicU64,
    faults: Mutex<Vec<String>>,
}

type Story = fn(&mut Client) -> Tried<()>;

/// What a client does, and how often of a hundred times.
const STORIES: [(&str, u64, Story); 11] = [
    ("echo", 20, Client::echo),
    ("one question", 15, Client::one),
    ("two questions", 10, Client::two),
    ("two at once", 8, Client::both),
    ("a page", 12, Client::page),
    ("an effect", 10, Client::pay),
    ("progress", 7, Client::count),
    ("a stream of changes", 5, Client::listen),
    ("a large result", 3, Client::large),
    ("a decline", 5, Client::decline),
    ("no message", 5, Client::nonsense),
];

pub(crate) fn run(seconds: Option<&str>) -> Tried<()> {
    let seconds = match seconds {
        None => SECONDS,
        Some(text) => text
            .parse()
            .map_err(|_| format!("`{text}` is not a number of seconds"))?,
    };
    let program = server::build("soak")?;
    let data = place::emptied(place::work()?.join("soak"))?;
    let mut server = Server::start(&program, &data, &[])?;
    let shared = Arc::new(Shared {
        address: server.address(),
        over: AtomicBool::new(false),
        done: [const { AtomicU64::new(0) }; STORIES.len()],
        cut: AtomicU64::new(0),
        faults: Mutex::default(),
    });
    let before = Rest::of(&server, &shared)?;
    println!("{CLIENTS} clients for {seconds} s; before: {before}");
    let clients = (0..CLIENTS)
        .map(|number| begin(number, &shared))
        .collect::<Tried<Vec<_>>>()?;
    let memory = watch(&mut server, &shared, seconds)?;
    shared.over.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().map_err(|_| "a client ended by a panic")?;
    }
    for ((name, _, _), done) in STORIES.iter().zip(&shared.done) {
        println!("{:>9}  {name}", done.load(Ordering::Relaxed));
    }
    println!(
        "{:>9}  went away in the middle",
        shared.cut.load(Ordering::Relaxed)
    );
    // The last effects and holds of clients that have gone.
    thread::sleep(Duration::from_secs(8));
    let after = Rest::of(&server, &shared)?;
    println!("after: {after}");
    let mut faults =
        std::mem::take(&mut *shared.faults.lock().unwrap_or_else(PoisonError::into_inner));
    faults.extend(before.faults(&after));
    faults.extend(growth(&memory));
    let start = Instant::now();
    server.ask_to_stop()?;
    while server.alive() && start.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(20));
    }
    println!("stopped within {} ms", start.elapsed().as_millis());
    if server.alive() {
        faults.push("the server does not stop".into());
    }
    let log = place::text(server.log())?;
    let errors = log
        .lines()
        .filter(|line| line.contains("ERROR") || line.contains("panicked"));
    faults.extend(errors.take(5).map(ToOwned::to_owned));
    if faults.is_empty() {
        return Ok(());
    }
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for fault in &faults {
        let kind: String = fault.chars().take(200).collect();
        *kinds.entry(kind).or_default() += 1;
    }
    for (kind, times) in kinds.iter().take(40) {
        println!("  - {times} times: {kind}");
    }
    Err(format!("{} faults", faults.len()))
}

/// What a server has in use while nothing happens.
#[derive(Debug)]
struct Rest {
    tasks: u64,
    sockets: usize,
    memory: u64,
}

impl Rest {
    fn of(server: &Server, shared: &Arc<Shared>) -> Tried<Self> {
        let mut client = Client::new(0, Arc::clone(shared));
        let tasks = client.call(&Call::first(&client.user.clone(), "tasks"))?;
        let files = PathBuf::from(format!("/proc/{}/fd", server.id()));
        let files = std::fs::read_dir(&files)
            .map_err(|error| format!("cannot read {}: {error}", files.display()))?;
        let leads = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
        let sockets = leads.filter(|to| to.to_string_lossy().starts_with("socket:"));
        Ok(Self {
            tasks: text(&tasks)?.parse().map_err(|_| "no number of tasks")?,
            sockets: sockets.count(),
            memory: server.memory()?,
        })
    }

    fn faults(&self, after: &Self) -> Option<String> {
        // A connection may be about to close.
        let is_left = after.tasks > self.tasks + 2 || after.sockets > self.sockets + 2;
        is_left.then(|| format!("something is left: {self} before, {after} after"))
    }
}

impl std::fmt::Display for Rest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mib = self.memory as f64 / 1024.0;
        write!(
            f,
            "{} tasks, {} sockets, {mib:.1} MiB",
            self.tasks, self.sockets
        )
    }
}

/// Samples the server's memory until the time is over.
fn watch(server: &mut Server, shared: &Shared, seconds: u64) -> Tried<Vec<u64>> {
    let pause = Duration::from_secs(seconds) / u32::try_from(SAMPLES).unwrap_or(1);
    let mut memory = Vec::new();
    for sample in 0..SAMPLES {
        thread::sleep(pause);
        if !server.alive() {
            return Err(format!("the server has ended:\n{}", server.said()));
        }
        memory.push(server.memory()?);
        if sample % 6 == 5 {
            let done: u64 = shared.done.iter().map(|n| n.load(Ordering::Relaxed)).sum();
            let mib = server.memory()? / 1024;
            println!("{done:>9} done, {mib} MiB");
        }
    }
    Ok(memory)
}

/// Whether the memory of the last fifth is more than that of the third, when all had long begun.
fn growth(memory: &[u64]) -> Option<String> {
    let fifth = memory.len() / 5;
    let mean = |part: &[u64]| part.iter().sum::<u64>() / (part.len() as u64).max(1);
    let third = mean(memory.get(2 * fifth..3 * fifth)?);
    let last = mean(memory.get(4 * fifth..)?);
    println!(
        "memory: {} KiB in the third fifth, {} KiB in the last",
        third, last
    );
    let allowed = third + third / 20 + 2048;
    (last > allowed).then(|| format!("the memory grows: {third} KiB, then {last} KiB"))
}

fn begin(number: u64, shared: &Arc<Shared>) -> Tried<thread::JoinHandle<()>> {
    let mut client = Client::new(number, Arc::clone(shared));
    thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || client.live())
        .map_err(|error| format!("cannot start a client: {error}"))
}

/// One person with a client and a browser.
struct Client {
    user: String,
    random: u64,
    shared: Arc<Shared>,
}

impl Client {
    fn new(number: u64, shared: Arc<Shared>) -> Self {
        Self {
            user: format!("user{number}"),
            random: number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            shared,
        }
    }

    /// A number below `most` (xorshift).
    fn below(&mut self, most: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % most
    }

    fn live(&mut self) {
        self.think();
        while !self.shared.over.load(Ordering::Relaxed) {
            let mut chosen = self.below(100);
            let story = STORIES
                .iter()
                .position(|(_, share, _)| match chosen.checked_sub(*share) {
                    Some(rest) => {
                        chosen = rest;
                        false
                    }
                    None => true,
                });
            let Some((which, (name, _, story))) = story.and_then(|at| Some((at, STORIES.get(at)?)))
            else {
                continue;
            };
            match story(self) {
                Ok(()) => {
                    if let Some(done) = self.shared.done.get(which) {
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Err(fault) => {
                    let mut faults = self
                        .shared
                        .faults
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner);
                    faults.push(format!("{name}: {fault}"));
                }
            }
            self.think();
        }
    }

    fn think(&mut self) {
        let time = self.below(THINKS);
        thread::sleep(Duration::from_millis(time));
    }

    /// Sends a call, and sometimes one more before it whose client goes away in the middle.
    fn call(&mut self, call: &Call<'_>) -> Tried<Reply> {
        self.post(Some(call.tool), "tools/call", call.body().as_bytes())
    }

    fn post(&mut self, name: Option<&str>, method: &str, body: &[u8]) -> Tried<Reply> {
        let bearer = format!("Bearer {}", self.user);
        let mut headers = headers(method, name);
        headers.push(("Authorization", &bearer));
        let request = Request {
            method: "POST",
            target: "/mcp",
            headers,
            body,
        };
        if self.below(10) == 0 {
            self.go_away(&request)?;
        }
        Reply::read(&http::send(self.shared.address, &request)?)
    }

    /// Sends a request, or a part of it, and closes the connection without a look at the answer.
    fn go_away(&mut self, request: &Request<'_>) -> Tried<()> {
        let mut stream = self.connect()?;
        let text = [
            http::head(self.shared.address, request).as_bytes(),
            request.body,
        ]
        .concat();
        let length = match self.below(3) {
            0 => self.below(text.len() as u64) as usize,
            _ => text.len(),
        };
        // The server may have closed it already.
        drop(stream.write_all(text.get(..length).unwrap_or_default()));
        let time = self.below(60);
        thread::sleep(Duration::from_millis(time));
        self.shared.cut.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn connect(&self) -> Tried<TcpStream> {
        let stream =
            TcpStream::connect(self.shared.address).map_err(|error| format!("connect: {error}"))?;
        let patience = Some(Duration::from_secs(30));
        stream
            .set_read_timeout(patience)
            .map_err(|error| error.to_string())?;
        Ok(stream)
    }

    fn echo(&mut self) -> Tried<()> {
        let user = self.user.clone();
        let call = Call {
            arguments: r#"{"text":"hello"}"#,
            ..Call::first(&user, "echo")
        };
        says(&self.call(&call)?, "hello")
    }

    /// Calls a tool that asks, and goes on with these answers, one after the other. Returns the last text.
    fn answered(&mut self, tool: &str, answers: &[&str]) -> Tried<String> {
        let user = self.user.clone();
        let first = Call::first(&user, tool);
        let mut reply = self.call(&first)?;
        for answer in answers {
            reply.result("input_required")?;
            let state = reply.needed(&["result", "requestState"])?.to_owned();
            self.think();
            reply = self.call(&first.retry(answer, &state))?;
        }
        text(&reply).map(ToOwned::to_owned)
    }

    fn one(&mut self) -> Tried<()> {
        // Ten are too many, and asked again.
        let said = self.answered(
            "one",
            &[
                r#"{"seats":{"action":"accept","content":{"seats":10}}}"#,
                r#"{"seats":{"action":"accept","content":{"seats":4}}}"#,
            ],
        )?;
        same(&said, "4 seats")
    }

    fn two(&mut self) -> Tried<()> {
        let said = self.answered(
            "two",
            &[
                r#"{"seats":{"action":"accept","content":{"seats":2}}}"#,
                r#"{"day":{"action":"accept","content":{"day":"Monday"}}}"#,
            ],
        )?;
        same(&said, "2 seats, Monday, 6000")
    }

    fn both(&mut self) -> Tried<()> {
        let said = self.answered(
            "both",
            &[r#"{"day":{"action":"accept","content":{"day":"Friday"}},"seats":{"action":"accept","content":{"seats":1}}}"#],
        )?;
        same(&said, "1 seats, Friday")
    }

    fn decline(&mut self) -> Tried<()> {
        let said = self.answered("one", &[r#"{"seats":{"action":"decline"}}"#])?;
        same(
            &said,
            "The request for input was declined by the user or the client.",
        )
    }

    /// An effect, whose last request is sent twice: it is done once.
    fn pay(&mut self) -> Tried<()> {
        let user = self.user.clone();
        let first = Call::first(&user, "pay");
        let asked = self.call(&first)?;
        asked.result("input_required")?;
        let state = asked.needed(&["result", "requestState"])?.to_owned();
        let answer = r#"{"confirm":{"action":"accept","content":{"confirm":true}}}"#;
        let retry = first.retry(answer, &state);
        let (one, other) = (self.call(&retry)?, self.call(&retry)?);
        need(text(&one)?.starts_with("Paid, "), || {
            format!("it says {:?}", one.json)
        })?;
        same(text(&other)?, text(&one)?)
    }

    /// A page: the client says at once that it is open and is held, or the user is faster.
    fn page(&mut self) -> Tried<()> {
        let user = self.user.clone();
        let name = format!("n{}", self.below(100));
        let arguments = format!(r#"{{"name":"{name}"}}"#);
        let first = Call {
            arguments: &arguments,
            ..Call::first(&user, "connect")
        };
        let mut reply = self.call(&first)?;
        if reply.text(&["result", "resultType"]) == Some("complete") {
            // It was given before.
            return says(&reply, &format!("{} characters", KEY.len()));
        }
        reply.result("input_required")?;
        let key = format!("account.{name}");
        let link = ["result", "inputRequests", &key, "params", "url"];
        let link = reply.needed(&link)?.to_owned();
        let path = link
            .find("/ui/")
            .and_then(|at| link.get(at..))
            .unwrap_or_default();
        let accept = format!(r#"{{"{key}":{{"action":"accept"}}}}"#);
        let person = if self.below(2) == 0 {
            let (path, user, address) = (path.to_owned(), user.clone(), self.shared.address);
            Some(thread::spawn(move || {
                thread::sleep(Duration::from_millis(500));
                fill(address, &user, &path)
            }))
        } else {
            fill(self.shared.address, &user, path)?;
            None
        };
        for _ in 0..4 {
            let state = reply.needed(&["result", "requestState"])?.to_owned();
            reply = self.call(&first.retry(&accept, &state))?;
            if reply.text(&["result", "resultType"]) == Some("complete") {
                break;
            }
        }
        if let Some(person) = person {
            person.join().map_err(|_| "a person ended by a panic")??;
        }
        says(&reply, &format!("{} characters", KEY.len()))
    }

    fn count(&mut self) -> Tried<()> {
        let user = self.user.clone();
        let call = Call::first(&user, "count").body();
        let body = call.replacen(r#""_meta":{"#, r#""_meta":{"progressToken":7,"#, 1);
        let reply = self.post(Some("count"), "tools/call", body.as_bytes())?;
        says(&reply, "Ten")
    }

    fn large(&mut self) -> Tried<()> {
        let user = self.user.clone();
        let reply = self.call(&Call::first(&user, "large"))?;
        need(text(&reply)?.len() == 100_000, || {
            "not all of it came".into()
        })
    }

    /// Listens for a while; some make a change meanwhile.
    fn listen(&mut self) -> Tried<()> {
        let body = request(
            "subscriptions/listen",
            r#""notifications":{"toolsListChanged":true}"#,
            "{}",
        );
        let bearer = format!("Bearer {}", self.user);
        let mut headers = headers("subscriptions/listen", None);
        headers.push(("Authorization", &bearer));
        let request = Request {
            method: "POST",
            target: "/mcp",
            headers,
            body: body.as_bytes(),
        };
        let mut stream = self.connect()?;
        let text = [
            http::head(self.shared.address, &request).as_bytes(),
            request.body,
        ]
        .concat();
        stream
            .write_all(&text)
            .map_err(|error| format!("listen: {error}"))?;
        if self.below(4) == 0 {
            let user = self.user.clone();
            says(&self.call(&Call::first(&user, "change"))?, "Told")?;
        }
        let time = self.below(3000);
        thread::sleep(Duration::from_millis(time));
        let mut read = [0; 4096];
        let count = stream
            .read(&mut read)
            .map_err(|error| format!("listen: {error}"))?;
        let read = String::from_utf8_lossy(read.get(..count).unwrap_or_default()).into_owned();
        need(
            read.contains("notifications/subscriptions/acknowledged"),
            || format!("not acknowledged: {read}"),
        )
    }

    fn nonsense(&mut self) -> Tried<()> {
        let body: &[u8] = match self.below(3) {
            0 => b"{",
            1 => b"[]",
            _ => br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
        };
        let reply = self.post(Some("echo"), "tools/call", body)?;
        need(reply.status == 400 && reply.code().is_some(), || {
            format!("HTTP {}: {:?}", reply.status, reply.json)
        })
    }
}

/// Signs in, and fills in the page.
fn fill(address: SocketAddr, user: &str, path: &str) -> Tried<()> {
    let mut browser = Browser::new(address);
    let page = browser.open_as(user, path)?;
    let form = page.form("api_key")?;
    let (_, answer) = browser.send(&page.path, &form, &[("api_key", KEY)], "same-origin")?;
    need(answer.status == 303, || {
        format!("the page was answered with HTTP {}", answer.status)
    })
}

/// The first text of a result.
fn text(reply: &Reply) -> Tried<&str> {
    let content = reply.result("complete")?.get("content");
    let first = content.and_then(|content| content.list().first()?.get("text")?.text());
    first.ok_or_else(|| format!("no text in {:?}", reply.json))
}

fn says(reply: &Reply, expected: &str) -> Tried<()> {
    same(text(reply)?, expected)
}

fn same(said: &str, expected: &str) -> Tried<()> {
    need(said == expected, || {
        format!("it says `{said}`, not `{expected}`")
    })
}
