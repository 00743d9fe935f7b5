//! Stands between a client and a server, hands on every byte, and writes all of it down.
//!
//! Uses `http` and `json`. It changes nothing, not even the `Host`; the server has to allow any port of this machine.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::http::{self, Message};
use crate::json::Json;
use crate::place::Tried;

/// A listener of its own in front of one server. Dropped, it takes no further connection.
#[derive(Debug)]
pub(crate) struct Recorder {
    address: SocketAddr,
    connections: Arc<Mutex<Vec<Arc<Connection>>>>,
    closed: Arc<AtomicBool>,
}

/// What went over one connection so far.
#[derive(Debug, Default)]
struct Connection {
    requests: Mutex<Vec<u8>>,
    answers: Mutex<Vec<u8>>,
}

/// One request and the messages that answer it.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The method of the message; empty where no message was sent.
    pub(crate) method: String,
    /// The message as it was sent; empty where there was none.
    pub(crate) request: String,
    /// The answer and what came before it, as they were sent.
    pub(crate) answers: Vec<String>,
}

impl Recorder {
    /// Listens on a free loopback port and connects to `server` for each that comes.
    pub(crate) fn start(server: SocketAddr) -> Tried<Self> {
        let failed = |error| format!("cannot listen: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let recorder = Self {
            address,
            connections: Arc::default(),
            closed: Arc::default(),
        };
        let connections = Arc::clone(&recorder.connections);
        let closed = Arc::clone(&recorder.closed);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if closed.load(Ordering::SeqCst) {
                    return;
                }
                let connection = Arc::<Connection>::default();
                locked(&connections).push(Arc::clone(&connection));
                // A server that is gone looks to the client as it would without this.
                drop(join(client, server, connection));
            }
        });
        Ok(recorder)
    }

    /// Where clients connect.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every byte of the bodies and heads that the server sent.
    pub(crate) fn answered(&self) -> Vec<u8> {
        let connections = locked(&self.connections);
        let bytes = connections.iter().map(|one| locked(&one.answers).clone());
        bytes.collect::<Vec<_>>().concat()
    }

    /// All exchanges with the endpoint so far, connection by connection; pages are left out.
    pub(crate) fn exchanges(&self) -> Tried<Vec<Exchange>> {
        let connections = locked(&self.connections).clone();
        let mut exchanges = Vec::new();
        for connection in connections {
            let requests = split(&locked(&connection.requests))?;
            let answers = split(&locked(&connection.answers))?;
            let mut answers = answers
                .into_iter()
                .filter(|answer| answer.status().is_some_and(|status| status >= 200));
            for request in requests {
                let answer = answers.next();
                if request.start.split(' ').nth(1) == Some("/mcp") {
                    exchanges.push(exchange(request, answer)?);
                }
            }
        }
        Ok(exchanges)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

fn join(client: TcpStream, server: SocketAddr, connection: Arc<Connection>) -> std::io::Result<()> {
    let server = TcpStream::connect(server)?;
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let other = Arc::clone(&connection);
    thread::spawn(move || hand_on(from_client, server, &other.requests));
    thread::spawn(move || hand_on(from_server, client, &connection.answers));
    Ok(())
}

/// Writes down first: whoever has seen a message finds it here.
fn hand_on(mut from: TcpStream, mut to: TcpStream, written: &Mutex<Vec<u8>>) {
    let mut part = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut part) {
        let part = part.get(..count).unwrap_or_default();
        locked(written).extend_from_slice(part);
        if to.write_all(part).is_err() {
            break;
        }
    }
    // Either side may be gone already.
    drop(to.shutdown(Shutdown::Write));
    drop(from.shutdown(Shutdown::Read));
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The messages of one direction of a connection.
fn split(mut bytes: &[u8]) -> Tried<Vec<Message>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (message, taken) = http::message(bytes).ok_or_else(|| {
            let start = String::from_utf8_lossy(bytes.get(..80).unwrap_or(bytes)).into_owned();
            format!("not HTTP: {start}")
        })?;
        messages.push(message);
        bytes = bytes.get(taken..).unwrap_or_default();
    }
    Ok(messages)
}

fn exchange(request: Message, answer: Option<Message>) -> Tried<Exchange> {
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).map_err(|_| format!("not UTF-8, after {}", request.start))
    };
    let request = text(request.body)?;
    let method = match Json::read(&request) {
        Ok(json) => json
            .get("method")
            .and_then(Json::text)
            .unwrap_or_default()
            .to_owned(),
        Err(_) => String::new(),
    };
    let mut answers = Vec::new();
    // Without an answer, the client went away.
    if let Some(answer) = answer {
        let kind = answer.header("content-type").unwrap_or_default().to_owned();
        let body = text(answer.body)?;
        if kind.starts_with("text/event-stream") {
            answers = events(&body);
        } else if kind.starts_with("application/json") && answer.whole {
            answers.push(body);
        }
    }
    Ok(Exchange {
        method,
        request,
        answers,
    })
}

/// The data of all events that came whole.
fn events(body: &str) -> Vec<String> {
    let body = body.replace("\r\n", "\n");
    let ended = body.rfind("\n\n").and_then(|end| body.get(..end));
    let data = |event: &str| {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        let lines: Vec<&str> = lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n")
    };
    let events = ended.unwrap_or_default().split("\n\n").map(data);
    events.filter(|data| !data.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::{Recorder, events};

    #[test]
    fn what_goes_over_is_written_down() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let recorder = Recorder::start(server.local_addr().unwrap()).unwrap();
        let served = thread::spawn(move || {
            let (mut client, _) = server.accept().unwrap();
            let mut byte = [0; 1];
            let mut seen = Vec::new();
            while !seen.ends_with(b"\r\n\r\n{\"method\":\"m\"}") {
                assert_eq!(client.read(&mut byte).unwrap(), 1);
                seen.push(byte[0]);
            }
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
            client.write_all(head.as_bytes()).unwrap();
        });
        let mut client = TcpStream::connect(recorder.address()).unwrap();
        let request = "POST /mcp HTTP/1.1\r\nContent-Length: 14\r\n\r\n{\"method\":\"m\"}";
        client.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        served.join().unwrap();
        assert!(answer.ends_with("{}"));
        let exchanges = recorder.exchanges().unwrap();
        assert_eq!(exchanges.len(), 1);
        assert_eq!(
            (
                exchanges[0].method.as_str(),
                exchanges[0].answers.as_slice()
            ),
            ("m", &["{}".to_owned()][..])
        );
    }

    #[test]
    fn events_that_did_not_end_are_left_out() {
        let body = ": hello\n\ndata: {\"a\":\ndata: 1}\n\nevent: message\ndata:2\n\ndata: 3";
        assert_eq!(events(body), ["{\"a\":\n1}", "2"]);
    }
}
