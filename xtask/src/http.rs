//! One HTTP/1.1 request over a loopback connection, and its whole answer.
//!
//! Uses the standard library only, so that nothing between the check and the server tidies up what either of them sends.
//! Each request has a connection of its own; there is no TLS and no redirect.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use crate::place::Tried;

/// How long an answer may take; longer than any held retry of these checks.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is sent. Header `Host` is added unless given, `Content-Length` and `Connection: close` always.
#[derive(Debug, Clone)]
pub(crate) struct Request<'a> {
    /// `GET` or `POST`
    pub(crate) method: &'a str,
    /// Path and query.
    pub(crate) target: &'a str,
    /// Name and value, sent as they are.
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    /// The body.
    pub(crate) body: &'a [u8],
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The status code.
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, as text.
    pub(crate) body: String,
    /// Every byte of the answer.
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    /// The first header of this name (in lower case).
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All headers of this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Sends one request and reads until the server closes, or until it has sent all that it announced.
pub(crate) fn send(to: SocketAddr, request: &Request<'_>) -> Tried<Answer> {
    let failed =
        |what: &str, error| format!("{} {}: {what}: {error}", request.method, request.target);
    let mut stream =
        TcpStream::connect_timeout(&to, PATIENCE).map_err(|error| failed("connect", error))?;
    stream
        .set_read_timeout(Some(PATIENCE))
        .map_err(|error| failed("timeout", error))?;
    stream
        .set_write_timeout(Some(PATIENCE))
        .map_err(|error| failed("timeout", error))?;

    stream
        .write_all(head(to, request).as_bytes())
        .map_err(|error| failed("write", error))?;
    // A server that refuses a large body may answer and close before it has read it all.
    let sent = stream.write_all(request.body);

    let mut bytes = Vec::new();
    let read = receive(&mut stream, &mut bytes);
    drop(stream.shutdown(Shutdown::Both));
    if bytes.is_empty() {
        sent.map_err(|error| failed("write", error))?;
        read.map_err(|error| failed("read", error))?;
        return Err(format!(
            "{} {}: the server closed without an answer",
            request.method, request.target
        ));
    }
    parsed(bytes)
        .ok_or_else(|| format!("{} {}: not an HTTP answer", request.method, request.target))
}

/// The head of a request as it is sent, with the empty line at its end.
pub(crate) fn head(to: SocketAddr, request: &Request<'_>) -> String {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.target);
    if !request
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        head.push_str(&format!("Host: {to}\r\n"));
    }
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!(
        "Content-Length: {}\r\nConnection: close\r\n\r\n",
        request.body.len()
    ));
    head
}

/// Reads the answer to what was written to a stream.
pub(crate) fn answer(stream: &mut TcpStream) -> Tried<Answer> {
    let mut bytes = Vec::new();
    receive(stream, &mut bytes).map_err(|error| format!("read: {error}"))?;
    parsed(bytes).ok_or_else(|| "not an HTTP answer".to_owned())
}

fn receive(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    let mut part = [0; 16 * 1024];
    loop {
        let count = stream.read(&mut part)?;
        bytes.extend_from_slice(part.get(..count).unwrap_or_default());
        if count == 0 || announced(bytes).is_some_and(|length| bytes.len() >= length) {
            return Ok(());
        }
    }
}

/// How long the whole answer will be, where its head is there and says so.
fn announced(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let length = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    end.checked_add(length?)
}

fn parsed(bytes: Vec<u8>) -> Option<Answer> {
    let (message, _) = message(&bytes)?;
    let status = message.status().filter(|_| message.whole)?;
    let body = String::from_utf8(message.body).ok()?;
    Some(Answer {
        status,
        headers: message.headers,
        body,
        bytes,
    })
}

/// One request or answer, as it is found in what went over a connection.
#[derive(Debug)]
pub(crate) struct Message {
    /// The first line.
    pub(crate) start: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, out of its chunks.
    pub(crate) body: Vec<u8>,
    /// Whether it was sent to its end.
    pub(crate) whole: bool,
}

impl Message {
    /// The first header of this name (in lower case).
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The status code, if it is an answer.
    pub(crate) fn status(&self) -> Option<u16> {
        self.start.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
    }
}

/// Reads the first message of `bytes`, and says how many of them it takes up.
pub(crate) fn message(bytes: &[u8]) -> Option<(Message, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, rest) = (bytes.get(..end)?, bytes.get(end + 4..)?);
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.split("\r\n");
    let start = lines.next()?.to_owned();
    let header = |line: &str| {
        line.split_once(':')
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let mut message = Message {
        start,
        headers: lines.map(header).collect::<Option<_>>()?,
        body: Vec::new(),
        whole: true,
    };
    let chunked = message.header("transfer-encoding");
    let length = message.header("content-length");
    let taken = if chunked.is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        let (body, taken) = unchunked(rest)?;
        message.whole = taken.is_some();
        message.body = body;
        taken.unwrap_or(rest.len())
    } else {
        let bodiless = match message.status() {
            Some(status) => matches!(status, 100..200 | 204 | 304),
            None => true,
        };
        let length = match length {
            Some(length) => length.parse().ok()?,
            None if bodiless => 0,
            None => rest.len(),
        };
        message.whole = rest.len() >= length;
        let taken = length.min(rest.len());
        message.body = rest.get(..taken)?.to_vec();
        taken
    };
    Some((message, end + 4 + taken))
}

/// The body out of its chunks, and how many bytes they take up; nothing of that where the last chunk is not there yet.
fn unchunked(bytes: &[u8]) -> Option<(Vec<u8>, Option<usize>)> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else {
            return Some((body, None));
        };
        let size = std::str::from_utf8(rest.get(..end)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        let Some(chunk) = rest.get(end + 2..end + 2 + size + 2) else {
            return Some((body, None));
        };
        at += end + 2 + size + 2;
        if size == 0 {
            return Some((body, Some(at)));
        }
        body.extend_from_slice(chunk.get(..size)?);
    }
}

#[cfg(test)]
mod tests {
    use super::{message, parsed};

    #[test]
    fn both_framings() {
        let plain =
            parsed(b"HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 2\r\n\r\nhi".to_vec())
                .unwrap();
        assert_eq!(
            (plain.status, plain.header("a"), plain.body.as_str()),
            (404, Some("b"), "hi")
        );
        let chunks = parsed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1;x\r\n!\r\n0\r\n\r\n".to_vec()).unwrap();
        assert_eq!(chunks.body, "hi!");
        assert!(parsed(b"nonsense".to_vec()).is_none());
        assert!(parsed(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi".to_vec()).is_none());
    }

    #[test]
    fn several_on_one_connection() {
        let bytes = b"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n";
        let (first, taken) = message(bytes).unwrap();
        assert_eq!((first.body.as_slice(), first.status()), (&b"{}"[..], None));
        let (second, rest) = message(&bytes[taken..]).unwrap();
        assert_eq!(
            (second.start.as_str(), taken + rest),
            ("GET /mcp HTTP/1.1", bytes.len())
        );
    }

    #[test]
    fn one_that_was_cut_off() {
        let cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n9\r\nhal";
        let (cut, _) = message(cut).unwrap();
        assert_eq!((cut.body.as_slice(), cut.whole), (&b"hi"[..], false));
    }
}
