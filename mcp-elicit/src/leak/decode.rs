//! Undoes encodings of bytes that are about to be sent. It takes any bytes and never fails: what
//! is no escape stays as it is.

use memchr::{memchr, memchr2};

/// The text with JSON's escapes undone, wherever they stand.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at))
    {
        out.extend_from_slice(before);
        let plain = match escape.get(1) {
            Some(b'b') => Some(8),
            Some(b'f') => Some(12),
            Some(b'n') => Some(b'\n'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            Some(&byte @ (b'"' | b'\\' | b'/')) => Some(byte),
            _ => None,
        };
        let taken = if let Some(byte) = plain {
            out.push(byte);
            2
        } else if let Some((character, len)) = unicode(escape) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            len
        } else {
            out.push(b'\\');
            1
        };
        rest = escape.get(taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// The character of a `\u` escape or of a pair of them, and its length in the text.
fn unicode(escape: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix(br"\u")?;
        digits.iter().try_fold(0, |sum, &digit| {
            Some(sum << 4 | char::from(digit).to_digit(16)?)
        })
    };
    let first = unit(0)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let low = unit(6)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    let high = first.checked_sub(0xD800).filter(|high| *high < 0x400)?;
    Some((char::from_u32(0x1_0000 + (high << 10) + low)?, 12))
}

/// The text with percent-encoding undone.
pub(super) fn unpercent(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = memchr(b'%', rest).and_then(|at| rest.split_at_checked(at)) {
        out.extend_from_slice(before);
        let byte = escape.get(1..3).and_then(|digits| {
            digits.iter().try_fold(0, |sum: u8, &digit| {
                let digit = char::from(digit).to_digit(16)?;
                Some(sum << 4 | u8::try_from(digit).ok()?)
            })
        });
        out.push(byte.unwrap_or(b'%'));
        rest = escape
            .get(if byte.is_some() { 3 } else { 1 }..)
            .unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// The string values of a JSON text as they are written, without the names of members.
pub(super) struct Strings<'t> {
    rest: &'t [u8],
}

impl<'t> Strings<'t> {
    pub(super) fn of(json: &'t [u8]) -> Self {
        Self { rest: json }
    }
}

impl<'t> Iterator for Strings<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        loop {
            let start = memchr(b'"', self.rest)? + 1;
            let text = self.rest.get(start..)?;
            let mut end = 0;
            loop {
                let tail = text.get(end..)?;
                end += memchr2(b'"', b'\\', tail)?;
                if text.get(end) == Some(&b'"') {
                    break;
                }
                end += 2;
            }
            let (string, rest) = text.split_at_checked(end)?;
            self.rest = rest.get(1..).unwrap_or_default();
            if trim(self.rest).first() != Some(&b':') {
                return Some(string);
            }
        }
    }
}

/// Whether a text looks like an object or an array.
pub(super) fn is_json(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'['))
}

/// The text without white space around it.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}
