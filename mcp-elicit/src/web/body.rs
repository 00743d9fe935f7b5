//! Reads a posted form. What it holds may be a secret: buffers are made large enough at once, so
//! that none is left behind by growing, and are overwritten when dropped. It uses nothing else of
//! the crate.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::{Body, HttpBody as _};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use zeroize::{Zeroize as _, Zeroizing};

use super::limits;

/// Why a body is no form of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    WrongType,
    TooLarge,
    TooSlow,
    Malformed,
}

/// Names and values in the order in which they were sent.
#[derive(Default)]
pub(super) struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// Takes out the one value called `name`; none if it is missing or repeated.
    pub(super) fn take(&mut self, name: &str) -> Option<Zeroizing<String>> {
        let mut found = None;
        let mut count = 0;
        self.0.retain_mut(|(given, value)| {
            let is_it = given == name;
            if is_it {
                count += 1;
                found = Some(Zeroizing::new(std::mem::take(value)));
            }
            !is_it
        });
        found.filter(|_| count == 1)
    }

    pub(super) fn all(&self) -> &[(String, String)] {
        &self.0
    }

    /// The values called `name`.
    pub(super) fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter_map(move |(given, value)| (given == name).then_some(value.as_str()))
    }
}

impl Drop for Pairs {
    fn drop(&mut self) {
        for (_, value) in &mut self.0 {
            value.zeroize();
        }
    }
}

/// Refuses what the headers alone show to be no form, before anything is read.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Fault> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let kind = match (types.next().map(|t| t.to_str()), types.next()) {
        (Some(Ok(kind)), None) => kind,
        _ => return Err(Fault::WrongType),
    };
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Fault::WrongType);
    }
    match length(headers) {
        Some(length) if length > limits::BODY_BYTES as u64 => Err(Fault::TooLarge),
        _ => Ok(()),
    }
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads the whole body, within the limits of size and time.
pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Pairs, Fault> {
    let expected = length(headers).and_then(|length| usize::try_from(length).ok());
    let room = expected.map_or(limits::BODY_BYTES, |n| n.min(limits::BODY_BYTES));
    let bytes = tokio::time::timeout(limits::BODY_TIME, collect(body, room))
        .await
        .map_err(|_| Fault::TooSlow)??;
    parse(&bytes)
}

async fn collect(mut body: Body, room: usize) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let mut all = Zeroizing::new(Vec::with_capacity(room));
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| Fault::Malformed)?;
        let Ok(part) = frame.into_data() else {
            continue;
        };
        // A longer body than announced cannot be; without a length the room is the limit.
        if all.len() + part.len() > room {
            return Err(Fault::TooLarge);
        }
        all.extend_from_slice(&part);
        if let Ok(mut part) = part.try_into_mut() {
            part.zeroize();
        }
    }
    Ok(all)
}

/// Reads `application/x-www-form-urlencoded`, strictly: what is no UTF-8 or no escape is refused
/// rather than mended, since a mended secret is a wrong one.
pub(super) fn parse(bytes: &[u8]) -> Result<Pairs, Fault> {
    let mut pairs = Pairs::default();
    for pair in bytes.split(|b| *b == b'&').filter(|pair| !pair.is_empty()) {
        let mut halves = pair.splitn(2, |b| *b == b'=');
        let name = decode(halves.next().unwrap_or_default())?;
        let value = decode(halves.next().unwrap_or_default())?;
        pairs.0.push((name, value));
    }
    Ok(pairs)
}

fn decode(text: &[u8]) -> Result<String, Fault> {
    let mut out = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => match (hex(rest.next()), hex(rest.next())) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(Fault::Malformed),
            },
            byte => *byte,
        });
    }
    if std::str::from_utf8(&out).is_err() {
        return Err(Fault::Malformed);
    }
    String::from_utf8(std::mem::take(&mut *out)).map_err(|_| Fault::Malformed)
}

fn hex(digit: Option<&u8>) -> Option<u8> {
    let value = char::from(*digit?).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        parse(text.as_bytes()).unwrap().0.clone()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.into(), value.into())
    }

    #[test]
    fn forms_are_read_as_browsers_write_them() {
        assert_eq!(pairs(""), []);
        assert_eq!(
            pairs("a=1&b=x+y%2B%C3%A4&b=&c&&d=e=f"),
            [
                pair("a", "1"),
                pair("b", "x y+\u{e4}"),
                pair("b", ""),
                pair("c", ""),
                pair("d", "e=f"),
            ]
        );
    }

    #[test]
    fn broken_escapes_and_text_are_refused() {
        for bad in ["a=%", "a=%4", "a=%zz", "a=%+1", "a=%FF", "%C3=1"] {
            assert_eq!(parse(bad.as_bytes()).err(), Some(Fault::Malformed), "{bad}");
        }
        assert_eq!(parse(b"a=\xff").err(), Some(Fault::Malformed));
    }

    #[test]
    fn a_control_given_twice_counts_as_missing() {
        let mut pairs = parse(b"x=1&t=2&t=3&u=4").unwrap();
        assert!(pairs.take("t").is_none());
        assert_eq!(pairs.take("u").as_deref().map(String::as_str), Some("4"));
        assert!(pairs.take("u").is_none());
        assert_eq!(pairs.all(), [pair("x", "1")]);
    }
}
