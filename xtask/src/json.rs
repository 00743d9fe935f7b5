//! A small JSON reader for what the checks look at: answers of the server, reports of the suite, `cargo metadata`.
//!
//! Uses nothing. Does not write JSON, does not keep the text of numbers, and is not built for speed: the checks stay free of
//! dependencies, so that they build in seconds and share no code with what they judge.

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number; the checks compare only small ones.
    Number(f64),
    /// A string, unescaped.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object, in the order written. A repeated name is refused: the server must never send one.
    Object(Vec<(String, Self)>),
}

/// Deeper than anything the server may send.
const DEPTH: usize = 64;

impl Json {
    /// Reads one value that takes up the whole text.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text };
        let value = reader.value(DEPTH)?;
        reader.blank();
        if reader.rest.is_empty() {
            Ok(value)
        } else {
            Err(format!("text after the value: {}", short(reader.rest)))
        }
    }

    /// The member of this name, if this is an object that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The value at the end of a path of member names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    /// The string, if this is one.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The number, if this is a whole one.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Some(*number as i64)
            }
            _ => None,
        }
    }

    /// The elements, empty if this is no array.
    pub(crate) fn list(&self) -> &[Self] {
        if let Self::List(values) = self {
            values
        } else {
            &[]
        }
    }
}

/// Writes a string as JSON, for the bodies that the checks send.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    /// Takes `token` if it comes next.
    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, token: &str) -> Result<(), String> {
        self.blank();
        if self.take(token) {
            Ok(())
        } else {
            Err(format!("expected `{token}` at: {}", short(self.rest)))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        let below = depth.checked_sub(1).ok_or("nested too deep")?;
        self.blank();
        if self.take("null") {
            return Ok(Json::Null);
        }
        if self.take("true") {
            return Ok(Json::Bool(true));
        }
        if self.take("false") {
            return Ok(Json::Bool(false));
        }
        match self.rest.chars().next() {
            Some('"') => self.string().map(Json::Text),
            Some('[') => self.list(below),
            Some('{') => self.object(below),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.need("[")?;
        let mut values = Vec::new();
        self.blank();
        if self.take("]") {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth)?);
            self.blank();
            if !self.take(",") {
                self.need("]")?;
                return Ok(Json::List(values));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.need("{")?;
        let mut members: Vec<(String, Json)> = Vec::new();
        self.blank();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.blank();
            let name = self.string()?;
            self.need(":")?;
            let value = self.value(depth)?;
            if members.iter().any(|(known, _)| *known == name) {
                return Err(format!("the member `{name}` occurs twice"));
            }
            members.push((name, value));
            self.blank();
            if !self.take(",") {
                self.need("}")?;
                return Ok(Json::Object(members));
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
            .unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        // Rust reads `+1`, `.5` and `1.` too, which are not JSON.
        let plain = text.strip_prefix('-').unwrap_or(text);
        if !plain.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with('.') {
            return Err(format!("expected a value at: {}", short(text)));
        }
        text.parse()
            .map(Json::Number)
            .map_err(|_| format!("not a number: {}", short(text)))
    }

    fn string(&mut self) -> Result<String, String> {
        self.need("\"")?;
        let mut out = String::new();
        loop {
            let end = self
                .rest
                .find(['"', '\\'])
                .ok_or("a string without an end")?;
            let (plain, rest) = self.rest.split_at(end);
            if plain.chars().any(|c| (c as u32) < 0x20) {
                return Err("a control character in a string".to_owned());
            }
            out.push_str(plain);
            self.rest = rest;
            if self.take("\"") {
                return Ok(out);
            }
            self.take("\\");
            out.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let c = self.rest.chars().next().ok_or("a string without an end")?;
        self.take(c.encode_utf8(&mut [0; 4]));
        Ok(match c {
            '"' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.unit()?;
                let code = match first {
                    0xD800..0xDC00 if self.take("\\u") => {
                        let second = self.unit()?;
                        0x10000 + ((first - 0xD800) << 10) + second.wrapping_sub(0xDC00)
                    }
                    _ => first,
                };
                char::from_u32(code).ok_or("half of a surrogate pair")?
            }
            _ => return Err(format!("unknown escape `\\{c}`")),
        })
    }

    fn unit(&mut self) -> Result<u32, String> {
        let digits = self.rest.get(..4).ok_or("a short \\u escape")?;
        let unit =
            u32::from_str_radix(digits, 16).map_err(|_| "a \\u escape that is not hexadecimal")?;
        self.rest = self.rest.get(4..).unwrap_or("");
        Ok(unit)
    }
}

/// The start of a text, for an error message.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::{Json, quoted};

    #[test]
    fn reads_what_servers_send() {
        let value =
            Json::read(r#" {"a":[1,-2.5e1,true,null],"b":{"c":"x\"\u00e9\ud83d\ude00\n"}} "#)
                .unwrap();
        assert_eq!(value.get("a").unwrap().list()[0].integer(), Some(1));
        assert_eq!(value.get("a").unwrap().list()[1], Json::Number(-25.0));
        assert_eq!(value.at(&["b", "c"]).unwrap().text(), Some("x\"é😀\n"));
    }

    #[test]
    fn refuses_what_is_not_json() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,\"a\":2}",
            "01x",
            "+1",
            ".5",
            "1.",
            "\"\t\"",
            "\"\\x\"",
            "nul",
            "1 2",
            "\"\\ud800\"",
        ] {
            assert!(Json::read(text).is_err(), "{text}");
        }
        assert!(Json::read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn what_is_quoted_reads_back() {
        let text = "a\"b\\c\n\u{1}é";
        assert_eq!(Json::read(&quoted(text)).unwrap().text(), Some(text));
    }
}
