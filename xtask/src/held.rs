//! `cargo xtask held`: ten thousand retries that wait for their pages, all at once on one process.
//!
//! Uses `server` for the billing example, `seven::mcp` for the clients and `seven::browser` for the users. It measures
//! and fails only where an answer is wrong: times depend on the machine.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::http::{self, Request};
use crate::place::{self, Tried};
use crate::server::{self, Server};
use crate::seven::browser::Browser;
use crate::seven::mcp::{Call, Reply, Wire, headers};
use crate::seven::need;

/// How many people wait, and how many retries each of them holds.
const USERS: usize = 500;
const EACH: usize = 20;

/// How many pages are filled in by the process that holds the retry, and as many by another.
const PAGES: usize = 20;

const TOOL: &str = "connect_billing";
const ACCEPT: &str = r#"{"billing_key":{"action":"accept"}}"#;

/// Longer than all of this takes.
const HOLD: &str = "300";

/// One person's open page.
#[derive(Debug)]
struct Waiting {
    user: String,
    link: String,
    state: String,
    held: Vec<TcpStream>,
}

pub(crate) fn run() -> Tried<()> {
    let program = server::build("billing")?;
    let data = place::emptied(place::work()?.join("held"))?;
    let server = start(&program, &data)?;
    let wire = Wire::new(server.address());
    let mut all = (0..USERS)
        .map(|n| ask(&wire, format!("user{n}")))
        .collect::<Tried<Vec<_>>>()?;

    let asked = server.memory()?;
    for waiting in &mut all {
        waiting.held = (0..EACH)
            .map(|_| connect(server.address()))
            .collect::<Tried<_>>()?;
    }
    thread::sleep(Duration::from_secs(1));
    let connected = server.memory()?;
    for waiting in &mut all {
        waiting.send(server.address())?;
    }
    let held = settled(&server)?;
    let count = USERS * EACH;
    println!("held at once: {count}, of {USERS} users");
    println!(
        "memory of the process: {} MiB before, {} MiB with as many idle connections, {} MiB with all held",
        asked / 1024,
        connected / 1024,
        held / 1024
    );
    let per = |kib: u64| kib as f64 / count as f64;
    println!(
        "memory per held call: {:.1} KiB in all, {:.1} KiB of it for the open connection",
        per(held.saturating_sub(asked)),
        per(connected.saturating_sub(asked))
    );

    let own = woken(all.split_off(USERS - PAGES), server.address())?;
    println!("page sent to result, one process: {}", told(&own));
    let second = start(&program, &data)?;
    let other = woken(all.split_off(USERS - 2 * PAGES), second.address())?;
    println!("page sent to result, another process: {}", told(&other));

    let start = Instant::now();
    server.ask_to_stop()?;
    let left: Vec<TcpStream> = all.into_iter().flat_map(|waiting| waiting.held).collect();
    let count = left.len();
    for mut stream in left {
        let reply = Reply::read(&http::answer(&mut stream)?)?;
        reply.result("input_required")?;
    }
    println!(
        "stopped: {count} held retries asked the same again within {} ms",
        start.elapsed().as_millis()
    );
    Ok(())
}

fn start(program: &Path, data: &Path) -> Tried<Server> {
    Server::start(program, data, &[("MCP_ELICIT_HOLD_SECONDS", HOLD)])
}

fn ask(wire: &Wire, user: String) -> Tried<Waiting> {
    let reply = wire.call(&Call::first(&user, TOOL))?;
    let link = ["result", "inputRequests", "billing_key", "params", "url"];
    Ok(Waiting {
        link: reply.needed(&link)?.to_owned(),
        state: reply.needed(&["result", "requestState"])?.to_owned(),
        user,
        held: Vec::new(),
    })
}

fn connect(to: SocketAddr) -> Tried<TcpStream> {
    let stream = TcpStream::connect(to).map_err(|error| {
        format!("cannot connect: {error}; it needs as many open files as retries (`ulimit -n`)")
    })?;
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .map_err(|error| error.to_string())?;
    Ok(stream)
}

impl Waiting {
    /// Says on each connection that the user has been at the page.
    fn send(&mut self, to: SocketAddr) -> Tried<()> {
        let body = Call::first(&self.user, TOOL)
            .retry(ACCEPT, &self.state)
            .body();
        let bearer = format!("Bearer {}", self.user);
        let mut headers = headers("tools/call", Some(TOOL));
        headers.push(("Authorization", &bearer));
        let request = Request {
            method: "POST",
            target: "/mcp",
            headers,
            body: body.as_bytes(),
        };
        let text = http::head(to, &request) + &body;
        for stream in &mut self.held {
            stream
                .write_all(text.as_bytes())
                .map_err(|error| format!("cannot send: {error}"))?;
        }
        Ok(())
    }
}

/// The memory once it has stopped to grow: then all that was sent is held.
fn settled(server: &Server) -> Tried<u64> {
    let mut before = 0;
    for _ in 0..60 {
        thread::sleep(Duration::from_secs(1));
        let now = server.memory()?;
        if now.abs_diff(before) < 256 {
            return Ok(now);
        }
        before = now;
    }
    Err("the server's memory does not stop to change".to_owned())
}

/// Has each fill in their page at `pages`, and measures until each of their retries has its result.
fn woken(all: Vec<Waiting>, pages: SocketAddr) -> Tried<Vec<Duration>> {
    let mut times = Vec::new();
    for waiting in all {
        let mut browser = Browser::new(pages);
        let path = waiting
            .link
            .find("/ui/")
            .and_then(|at| waiting.link.get(at..));
        let page = browser.open_as(&waiting.user, path.unwrap_or_default())?;
        let form = page.form("api_key")?;
        let readers: Vec<_> = waiting
            .held
            .into_iter()
            .map(|mut stream| {
                thread::spawn(move || {
                    let answer = http::answer(&mut stream)?;
                    Tried::Ok((Instant::now(), answer))
                })
            })
            .collect();
        let start = Instant::now();
        let filled = [("api_key", "sk_live_4f9c2e7ab1d05c83")];
        let (_, answer) = browser.send(&page.path, &form, &filled, "same-origin")?;
        need(answer.status == 303, || {
            format!("the page was answered with HTTP {}", answer.status)
        })?;
        for reader in readers {
            let read = reader.join().map_err(|_| "a reader ended".to_owned())?;
            let (at, answer) = read?;
            Reply::read(&answer)?.result("complete")?;
            times.push(at.duration_since(start));
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn told(times: &[Duration]) -> String {
    let at = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0, Duration::as_millis)
    };
    format!(
        "median {} ms, 95% {} ms, most {} ms, of {}",
        at(50),
        at(95),
        at(100),
        times.len()
    )
}
