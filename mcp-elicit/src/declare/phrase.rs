//! Sentences put together by the compiler: constant code has no `format!`.
//!
//! It knows nothing of what is said.

use super::table::Opt;

/// The most that one sentence holds. What does not fit is left out.
const ROOM: usize = 400;

/// A sentence in the making.
#[derive(Clone, Copy)]
pub(super) struct Phrase {
    bytes: [u8; ROOM],
    len: usize,
}

impl Phrase {
    /// A sentence that begins with `text`.
    pub(super) const fn new(text: &str) -> Self {
        let empty = Self {
            bytes: [0; ROOM],
            len: 0,
        };
        empty.text(text)
    }

    /// Adds `text`, whole or not at all.
    #[expect(
        clippy::indexing_slicing,
        reason = "run by the compiler alone, and the room is seen to"
    )]
    pub(super) const fn text(mut self, text: &str) -> Self {
        if !self.has_room(text.len()) {
            return self;
        }
        let mut rest = text.as_bytes();
        while let [byte, after @ ..] = rest {
            self.bytes[self.len] = *byte;
            self.len += 1;
            rest = after;
        }
        self
    }

    /// Adds a whole number.
    pub(super) const fn number(self, number: i128) -> Self {
        let it = if number < 0 { self.text("-") } else { self };
        it.digits(number.unsigned_abs())
    }

    const fn digits(self, number: u128) -> Self {
        let it = if number < 10 {
            self
        } else {
            self.digits(number / 10)
        };
        it.text(match number % 10 {
            0 => "0",
            1 => "1",
            2 => "2",
            3 => "3",
            4 => "4",
            5 => "5",
            6 => "6",
            7 => "7",
            8 => "8",
            _ => "9",
        })
    }

    /// Adds the wire names of choices, as many as there is room for.
    pub(super) const fn names(self, options: &[Opt<'_>]) -> Self {
        const MORE: &str = ", ..";
        let (mut it, mut rest, mut between) = (self, options, "`\"");
        while let [option, after @ ..] = rest {
            let len = between.len() + option.value.len() + "\"`".len();
            if !it.has_room(len + MORE.len() + END) {
                return it.text(MORE);
            }
            it = it.text(between).text(option.value).text("\"`");
            between = ", `\"";
            rest = after;
        }
        it
    }

    const fn has_room(&self, len: usize) -> bool {
        len <= ROOM - self.len
    }

    /// The sentence.
    pub(super) const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// What is kept free of names for what ends the sentence.
const END: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for number in [0, 7, -1, 10, 255, i128::MAX, i128::MIN] {
            assert_eq!(Phrase::new("").number(number).as_str(), number.to_string());
        }
    }

    #[test]
    fn names_end_where_the_room_does() {
        let long = "x".repeat(90);
        let options = [const { Opt::new("é", None) }, Opt::new(&long, None)];
        let said = Phrase::new("").names(&options).text(" [elicit::6]");
        assert_eq!(said.as_str(), format!("`\"é\"`, `\"{long}\"` [elicit::6]"));
        let many = [Opt::new(&long, None); 9];
        let said = Phrase::new("").names(&many).text(" [elicit::6]");
        assert!(
            said.as_str().ends_with(", .. [elicit::6]"),
            "{}",
            said.as_str()
        );
    }
}
