//! The forms in which a secret may be written. Every buffer is made in its final size, so that no
//! copy is left behind when it would have to grow.

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

type Form = Zeroizing<Vec<u8>>;

/// Below this, the encodings of a secret are too short to mean anything.
const ENCODED: usize = 4;

/// What a longer text shows of the secret when the whole text is encoded.
pub(super) fn inside(secret: &[u8], put: &mut dyn FnMut(Form)) {
    for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
        put(hex(secret, digits));
    }
    // Base64 writes three bytes as four characters, so it depends on what stands before and
    // behind. Only the characters that are the secret's alone are looked for.
    for before in 0..3_usize {
        let mut bytes = Zeroizing::new(Vec::with_capacity(before + secret.len()));
        bytes.resize(before, 0);
        bytes.extend_from_slice(secret);
        let foreign = (before * 8).div_ceil(6);
        let own = (bytes.len() * 8 / 6).saturating_sub(foreign);
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = base64(&bytes, engine);
            let own = text.iter().skip(foreign).take(own);
            put(Zeroizing::new(own.copied().collect()));
        }
    }
}

/// Whether so many characters of base64 or hex stand side by side. Where the last of so many is none,
/// none of them begins such a word, so that most of a text is never looked at.
pub(super) fn has_word(text: &[u8], len: usize) -> bool {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || b"+/-_".contains(b);
    let mut rest = text;
    while let Some(word) = rest.get(..len) {
        let Some(other) = word.iter().rposition(|b| !is_digit(b)) else {
            return true;
        };
        rest = rest.get(other + 1..).unwrap_or_default();
    }
    false
}

/// What a value is that holds the secret and nothing else.
pub(super) fn whole(secret: &[u8], put: &mut dyn FnMut(Form)) {
    put(Zeroizing::new(secret.to_vec()));
    if secret.len() >= ENCODED {
        for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
            put(hex(secret, digits));
        }
        for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
            put(base64(secret, engine));
        }
    }
}

/// With `+` for each space.
pub(super) fn with_plus(secret: &[u8]) -> Form {
    let plus = |&byte: &u8| if byte == b' ' { b'+' } else { byte };
    Zeroizing::new(secret.iter().map(plus).collect())
}

/// The text without any of `bytes`.
pub(super) fn without(text: &[u8], bytes: &[u8]) -> Form {
    let mut rest = Zeroizing::new(Vec::with_capacity(text.len()));
    rest.extend(text.iter().filter(|byte| !bytes.contains(byte)));
    rest
}

fn base64(bytes: &[u8], engine: &GeneralPurpose) -> Form {
    Zeroizing::new(engine.encode(bytes).into_bytes())
}

fn hex(secret: &[u8], digits: &[u8; 16]) -> Form {
    let mut text = Zeroizing::new(Vec::with_capacity(secret.len() * 2));
    for byte in secret {
        let both = [byte >> 4, byte & 15];
        text.extend(
            both.iter()
                .filter_map(|half| digits.get(usize::from(*half))),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_word_is_found_wherever_it_stands() {
        for before in 0..20 {
            for len in 1..16 {
                let (before, word) = (" ".repeat(before), "aB9+/-_".repeat(3));
                let text = |n: usize| format!("{before}{} abc .", &word[..n]);
                assert!(has_word(text(len).as_bytes(), len));
                assert!(has_word(text(len + 1).as_bytes(), len));
                assert!(len <= 3 || !has_word(text(len - 1).as_bytes(), len));
            }
        }
        assert!(!has_word(b"", 1) && !has_word(b"abc", 4) && has_word(b"abcd", 4));
    }
}
