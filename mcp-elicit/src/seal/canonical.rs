//! One form for all texts of the same JSON value, made to be hashed and not to be read.
//!
//! It goes through the text once and keeps no tree. There is no recursion, so no nesting can
//! exhaust the stack. It does not check that the text is right: a JSON parser has done so.
//!
//! The form is the text without white space and with a comma behind every member and element;
//! members are in the order of their names' bytes; of the characters of a string only `"` and `\`
//! are escaped, by a backslash, and lone surrogates by `\u` and four lower-case digits.

/// Nesting beyond which a text has no form.
const DEPTH: usize = 64;
/// Putting members in order may move this many times the text's length in all.
const EFFORT: usize = 16;

/// Appends the form of `text`. False if it has none; `out` then holds rubbish at its end.
#[must_use]
pub(super) fn append(text: &str, out: &mut Vec<u8>) -> bool {
    Form {
        text: text.as_bytes(),
        at: 0,
        out,
        open: Vec::with_capacity(4),
        members: Vec::with_capacity(12),
        effort: text.len().saturating_mul(EFFORT),
    }
    .run()
    .is_some()
}

struct Form<'a> {
    text: &'a [u8],
    at: usize,
    out: &'a mut Vec<u8>,
    /// The objects and arrays around the current place.
    open: Vec<Open>,
    /// The members of all open objects so far, outermost first.
    members: Vec<Member>,
    effort: usize,
}

enum Open {
    Array,
    Object {
        /// Index of its first member.
        first: usize,
        /// Where it begins in `out`.
        start: usize,
        /// Where it begins in `text`.
        source: usize,
    },
}

/// Where a member stands in `out`.
#[derive(Clone, Copy)]
struct Member {
    start: usize,
    name_end: usize,
    end: usize,
}

impl Form<'_> {
    fn run(mut self) -> Option<()> {
        loop {
            let opened = self.value()?;
            if opened {
                continue;
            }
            // A value has ended, and with it perhaps the objects and arrays around it.
            loop {
                let Some(open) = self.open.last() else {
                    return self.peek().is_none().then_some(());
                };
                self.out.push(b',');
                let in_object = matches!(open, Open::Object { .. });
                if in_object {
                    self.members.last_mut()?.end = self.out.len();
                }
                match (self.next()?, in_object) {
                    (b',', true) => {
                        self.name()?;
                        break;
                    }
                    (b',', false) => break,
                    (b'}', true) | (b']', false) => self.close()?,
                    _ => return None,
                }
            }
        }
    }

    /// Takes a whole scalar or empty container, or opens one that is not empty (true).
    fn value(&mut self) -> Option<bool> {
        let first = self.peek()?;
        match first {
            b'"' => self.string()?,
            b'{' | b'[' => {
                if self.open.len() == DEPTH {
                    return None;
                }
                let (start, source) = (self.out.len(), self.at);
                self.at += 1;
                self.out.push(first);
                let next = self.peek()?;
                if next == first + 2 {
                    self.at += 1;
                    self.out.push(next);
                    return Some(false);
                }
                if first == b'{' {
                    let first = self.members.len();
                    self.open.push(Open::Object {
                        first,
                        start,
                        source,
                    });
                    self.name()?;
                } else {
                    self.open.push(Open::Array);
                }
                return Some(true);
            }
            _ => {
                let rest = self.text.get(self.at..)?;
                let len = rest
                    .iter()
                    .position(
                        |b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'a'..=b'z' | b'E'),
                    )
                    .unwrap_or(rest.len());
                if len == 0 {
                    return None;
                }
                self.out.extend_from_slice(rest.get(..len)?);
                self.at += len;
            }
        }
        Some(false)
    }

    /// Takes a member's name and the colon.
    fn name(&mut self) -> Option<()> {
        let start = self.out.len();
        (self.peek()? == b'"').then(|| self.string())??;
        let name_end = self.out.len();
        self.out.push(b':');
        (self.next()? == b':').then(|| {
            self.members.push(Member {
                start,
                name_end,
                end: name_end,
            });
        })
    }

    /// Ends the innermost object or array.
    fn close(&mut self) -> Option<()> {
        match self.open.pop()? {
            Open::Array => self.out.push(b']'),
            Open::Object {
                first,
                start,
                source,
            } => {
                let out = &mut *self.out;
                let mine = self.members.get_mut(first..)?;
                if !mine.is_sorted_by(|a, b| named(out, a) < named(out, b)) {
                    mine.sort_by(|a, b| named(out, a).cmp(named(out, b)));
                    self.effort = self.effort.checked_sub(out.len() - start)?;
                    let repeated = mine
                        .windows(2)
                        .any(|two| matches!(two, [a, b] if named(out, a) == named(out, b)));
                    let mut sorted = Vec::with_capacity(out.len() - start);
                    if repeated {
                        // Which one counts depends on the reader, so the text as it is counts.
                        let raw = self.text.get(source..self.at)?;
                        sorted.push(b'r');
                        sorted.extend_from_slice(&(raw.len() as u64).to_be_bytes());
                        sorted.extend_from_slice(raw);
                    } else {
                        sorted.push(b'{');
                        for member in mine.iter() {
                            sorted.extend_from_slice(out.get(member.start..member.end)?);
                        }
                    }
                    out.truncate(start);
                    out.append(&mut sorted);
                }
                self.members.truncate(first);
                self.out.push(b'}');
            }
        }
        Some(())
    }

    /// Takes a string.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        self.out.push(b'"');
        loop {
            let rest = self.text.get(self.at..)?;
            let len = rest.iter().position(|b| matches!(b, b'"' | b'\\'))?;
            self.out.extend_from_slice(rest.get(..len)?);
            self.at += len + 1;
            if rest.get(len) == Some(&b'"') {
                self.out.push(b'"');
                return Some(());
            }
            self.escape()?;
        }
    }

    /// Takes what follows a backslash.
    fn escape(&mut self) -> Option<()> {
        let kind = *self.text.get(self.at)?;
        self.at += 1;
        let plain = match kind {
            b'"' | b'\\' => {
                self.out.extend_from_slice(&[b'\\', kind]);
                return Some(());
            }
            b'/' => b'/',
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode(),
            _ => return None,
        };
        self.out.push(plain);
        Some(())
    }

    /// Takes the digits of a `\u` escape, and of the one behind it if both are a pair.
    fn unicode(&mut self) -> Option<()> {
        let unit = self.hex()?;
        let character = match unit {
            0xD800..=0xDBFF => {
                let back = self.at;
                let low = (self.text.get(self.at..self.at + 2) == Some(br"\u"))
                    .then(|| {
                        self.at += 2;
                        self.hex()
                    })
                    .flatten();
                match low {
                    Some(low @ 0xDC00..=0xDFFF) => {
                        char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
                    }
                    _ => {
                        self.at = back;
                        None
                    }
                }
            }
            _ => char::from_u32(unit),
        };
        match character {
            Some(c @ ('"' | '\\')) => self.out.extend_from_slice(&[b'\\', c as u8]),
            Some(c) => self
                .out
                .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self
                .out
                .extend_from_slice(format!("\\u{unit:04x}").as_bytes()),
        }
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, &digit| {
            Some(sum << 4 | char::from(digit).to_digit(16)?)
        })
    }

    /// The next byte that is not white space, which stays.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Takes the next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }
}

fn named<'o>(out: &'o [u8], member: &Member) -> &'o [u8] {
    out.get(member.start..member.name_end).unwrap_or_default()
}
