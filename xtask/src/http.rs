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
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, rest) = (bytes.get(..end)?, bytes.get(end + 4..)?);
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines
        .next()?
        .strip_prefix("HTTP/1.1 ")?
        .get(..3)?
        .parse()
        .ok()?;
    let header = |line: &str| {
        line.split_once(':')
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<(String, String)> = lines.map(header).collect::<Option<_>>()?;
    let chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value.eq_ignore_ascii_case("chunked"));
    let body = if chunked {
        unchunked(rest)?
    } else {
        rest.to_vec()
    };
    let body = String::from_utf8(body).ok()?;
    Some(Answer {
        status,
        headers,
        body,
        bytes,
    })
}

fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(rest.get(..end)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 2 + size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::parsed;

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
    }
}
