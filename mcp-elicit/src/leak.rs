//! The leak guard: no secret that a run has opened may leave for the client.
//!
//! It looks for the secrets in bytes that are about to be sent, plain or in the encodings that a
//! careless handler or library would use. It is no defence against a handler that hides a secret
//! on purpose. It uses nothing else of the crate, and does not decide what is sent instead.
//!
//! Secrets shorter than twelve bytes count only as a whole string value, since as a part of a
//! text they may be any word.

mod decode;
mod forms;

use std::fmt;

use memchr::{memchr, memchr2, memmem};
use zeroize::{Zeroize as _, Zeroizing};

use self::decode::{Strings, is_json, trim};

/// The shortest secret that is looked for inside of texts.
const LONG: usize = 12;
/// JSON in a string of JSON, in a string of JSON, ..: escapes are undone as often as this. The first level is
/// that of the result itself.
const LEVELS: usize = 5;

/// The secrets of one run, in every form in which they are looked for.
///
/// A guard of no secret looks at nothing and costs nothing.
#[derive(Default)]
pub(crate) struct Guard {
    /// Looked for in texts as they are.
    plain: Vec<Zeroizing<Vec<u8>>>,
    /// Base64 and hex, which may also be broken into lines.
    encoded: Vec<Zeroizing<Vec<u8>>>,
    /// Looked for as whole values.
    short: Vec<Zeroizing<Vec<u8>>>,
}

impl Guard {
    /// A guard that looks for these secrets.
    pub(crate) fn new<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        let mut guard = Self::default();
        for secret in secrets {
            guard.add(secret);
        }
        guard
    }

    fn add(&mut self, secret: &str) {
        let (whole, trimmed) = (secret.as_bytes(), trim(secret.as_bytes()));
        if trimmed.is_empty() {
            return;
        }
        if whole.len() >= LONG {
            self.add_long(whole);
            // A browser sends the lines of a text area with CR LF; few readers keep that.
            if whole.contains(&b'\r') {
                self.add_long(&forms::without(whole, b"\r"));
            }
        }
        if trimmed.len() >= LONG {
            self.add_long(trimmed);
        } else {
            forms::whole(trimmed, &mut |form| put(&mut self.short, form));
        }
    }

    fn add_long(&mut self, secret: &[u8]) {
        put(&mut self.plain, Zeroizing::new(secret.to_vec()));
        if secret.contains(&b' ') {
            // As the query of a URL has it.
            put(&mut self.plain, forms::with_plus(secret));
        }
        forms::inside(secret, &mut |form| put(&mut self.encoded, form));
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.short.is_empty()
    }

    /// Whether `bytes`, a JSON text, hold one of the secrets.
    pub(crate) fn leaks(&self, bytes: &[u8]) -> bool {
        !self.is_empty() && (self.is_inside(bytes) || self.is_value_in(bytes, LEVELS))
    }

    /// Whether texts that a reader sees one behind the other hold one of the secrets together.
    /// Each part is a text itself, not its JSON.
    pub(crate) fn leaks_across(&self, parts: &mut dyn Iterator<Item = &str>) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut text = Vec::new();
        for part in parts {
            text.extend_from_slice(part.as_bytes());
        }
        let leaks = self.is_inside(&text) || self.is_value(&text, LEVELS);
        if leaks {
            text.zeroize();
        }
        leaks
    }

    /// Whether a long secret is anywhere in the text, with escapes undone level by level.
    fn is_inside(&self, text: &[u8]) -> bool {
        if self.plain.is_empty() {
            return false;
        }
        if self.is_at_level(text) {
            return true;
        }
        let mut level = None::<Vec<u8>>;
        for _ in 0..LEVELS {
            let text = level.as_deref().unwrap_or(text);
            if memchr(b'\\', text).is_none() {
                return false;
            }
            let mut next = decode::unescape(text);
            if self.is_at_level(&next) {
                next.zeroize();
                return true;
            }
            level = Some(next);
        }
        false
    }

    fn is_at_level(&self, text: &[u8]) -> bool {
        if self.is_written_in(text) {
            return true;
        }
        // Twice, since a URL may be the parameter of another one.
        let mut level = None::<Vec<u8>>;
        for _ in 0..2 {
            let text = level.as_deref().unwrap_or(text);
            if memchr(b'%', text).is_none() {
                return false;
            }
            let mut next = decode::unpercent(text);
            if self.is_written_in(&next) {
                next.zeroize();
                return true;
            }
            level = Some(next);
        }
        false
    }

    fn is_written_in(&self, text: &[u8]) -> bool {
        if has_one(text, &self.plain) || self.is_encoded_in(text) {
            return true;
        }
        if memchr2(b'\n', b'\r', text).is_none() {
            return false;
        }
        let mut joined = forms::without(text, b"\r\n \t");
        let leaks = self.is_encoded_in(&joined);
        if !leaks {
            // Nothing to hide, and to wipe it takes longer than to fill it.
            std::mem::take(&mut *joined);
        }
        leaks
    }

    fn is_encoded_in(&self, text: &[u8]) -> bool {
        let shortest = self.encoded.iter().map(|form| form.len()).min();
        // Most texts have no word as long as that, which is found out by one look at them.
        shortest.is_some_and(|len| forms::has_word(text, len)) && has_one(text, &self.encoded)
    }

    /// Whether a short secret is a whole string value of the JSON text.
    fn is_value_in(&self, json: &[u8], levels: usize) -> bool {
        if self.short.is_empty() {
            return false;
        }
        for raw in Strings::of(json) {
            let leaks = if memchr(b'\\', raw).is_some() {
                let mut text = decode::unescape(raw);
                let leaks = self.is_value(&text, levels);
                if leaks {
                    text.zeroize();
                }
                leaks
            } else {
                self.is_value(raw, levels)
            };
            if leaks {
                return true;
            }
        }
        false
    }

    /// Whether a text is a short secret, or is itself JSON with one as a value.
    fn is_value(&self, text: &[u8], levels: usize) -> bool {
        if self.short.is_empty() {
            return false;
        }
        let text = trim(text);
        let is_short = |text: &[u8]| self.short.iter().any(|form| form.as_slice() == text);
        if is_short(text) {
            return true;
        }
        if memchr(b'%', text).is_some() && is_short(&decode::unpercent(text)) {
            return true;
        }
        levels > 0 && is_json(text) && self.is_value_in(text, levels - 1)
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

fn has_one(text: &[u8], forms: &[Zeroizing<Vec<u8>>]) -> bool {
    forms.iter().any(|form| memmem::find(text, form).is_some())
}

fn put(forms: &mut Vec<Zeroizing<Vec<u8>>>, form: Zeroizing<Vec<u8>>) {
    if !forms.contains(&form) {
        forms.push(form);
    }
}

#[cfg(test)]
mod tests;
