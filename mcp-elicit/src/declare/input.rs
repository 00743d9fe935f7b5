//! What a browser posts, as the JSON object that an answer is.
//!
//! A browser sends texts alone, nothing for a box that is not ticked, and a name once for each of
//! several choices. Here that becomes numbers, booleans and lists by the table, and is then
//! checked by the very rules of an answer.

use zeroize::Zeroizing;

use super::answer::check;
use super::invalid::Invalid;
use super::json::string_len;
use super::table::{Field, FormTable, Kind};

/// The JSON object that `pairs` of a form for `table` say. Pairs that are no field of it, such as
/// a token against forgery, are left out.
///
/// A yes-or-no field that may not be left blank, or has a default, is a box to tick: without a
/// pair it is `false`. Every other field without a pair, or with a blank one, is left out.
///
/// # Errors
///
/// As for any other answer: one reason for each field that is wrong.
///
/// ```
/// use mcp_elicit::Elicit;
/// use mcp_elicit::declare::from_pairs;
///
/// /// A seat, please.
/// #[derive(Elicit)]
/// struct Seat {
///     row: u8,
///     window: bool,
///     name: Option<String>,
/// }
///
/// let pairs = [("row".to_owned(), "12".to_owned()), ("name".to_owned(), String::new())];
/// let json = from_pairs(Seat::declaration().table(), &pairs)?;
/// assert_eq!(*json, r#"{"row":12,"window":false}"#);
/// # Ok::<(), mcp_elicit::Invalid>(())
/// ```
pub fn from_pairs(
    table: &FormTable<'_>,
    pairs: &[(String, String)],
) -> Result<Zeroizing<String>, Invalid> {
    let mut invalid = Invalid::none();
    let mut json = Json::with_room_for(table, pairs);
    for field in table.fields {
        let mut values = pairs
            .iter()
            .filter(|(name, _)| name == field.name)
            .map(|(_, value)| value.as_str());
        match field.kind {
            Kind::Several { .. } => several(field, values, &mut json),
            kind => {
                let value = values.next().filter(|v| !v.trim().is_empty());
                if values.next().is_some() {
                    invalid.add(field.name, "is given more than once");
                }
                match (kind, value) {
                    (Kind::Boolean, value) => boolean(field, value, &mut json),
                    (_, None) => {}
                    (Kind::Integer { .. } | Kind::Number { .. }, Some(value)) => {
                        json.name(field.name);
                        json.number(value.trim());
                    }
                    (Kind::Secret { multiline: true }, Some(value)) => {
                        json.name(field.name);
                        json.lines(value);
                    }
                    (_, Some(value)) => {
                        json.name(field.name);
                        json.string(value);
                    }
                }
            }
        }
    }
    let json = json.finish();
    if let Err(more) = check(table, &json) {
        invalid = invalid.and(more);
    }
    if invalid.is_none() {
        Ok(json)
    } else {
        Err(invalid)
    }
}

fn several<'v>(field: &Field<'_>, values: impl Iterator<Item = &'v str>, json: &mut Json) {
    let mut values = values.filter(|v| !v.trim().is_empty()).peekable();
    // Nothing ticked is an empty list where the field may not be left out.
    if values.peek().is_some() || field.required || field.default.is_some() {
        json.name(field.name);
        json.list(values);
    }
}

fn boolean(field: &Field<'_>, value: Option<&str>, json: &mut Json) {
    let is_box = field.required || field.default.is_some();
    match value.map(str::trim) {
        None if !is_box => {}
        None | Some("false" | "off" | "no" | "0") => {
            json.name(field.name);
            json.put("false");
        }
        Some("true" | "on" | "yes" | "1") => {
            json.name(field.name);
            json.put("true");
        }
        Some(other) => {
            json.name(field.name);
            json.string(other);
        }
    }
}

/// An object that is written into a buffer of its final size, since one that grows leaves copies of
/// secrets behind.
struct Json {
    text: Zeroizing<String>,
    before: &'static str,
}

impl Json {
    fn with_room_for(table: &FormTable<'_>, pairs: &[(String, String)]) -> Self {
        // `false`, a comma and a colon, or brackets and quotes around a list.
        let fields: usize = table
            .fields
            .iter()
            .map(|field| string_len(field.name) + 16)
            .sum();
        let values: usize = pairs.iter().map(|(_, v)| string_len(v) + 16).sum();
        Self {
            text: Zeroizing::new(String::with_capacity(fields + values + 2)),
            before: "{",
        }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn name(&mut self, name: &str) {
        self.put(self.before);
        self.before = ",";
        self.string(name);
        self.put(":");
    }

    /// A JSON number, or else the text as it is, for the check to refuse.
    fn number(&mut self, value: &str) {
        let is_json = serde_json::from_str::<serde_json::Number>(value).is_ok();
        match value.parse::<i64>() {
            _ if is_json => self.put(value),
            Ok(number) => self.put(&number.to_string()),
            Err(_) => self.string(value),
        }
    }

    fn list<'v>(&mut self, values: impl Iterator<Item = &'v str>) {
        self.put("[");
        for (i, value) in values.enumerate() {
            if i > 0 {
                self.put(",");
            }
            self.string(value);
        }
        self.put("]");
    }

    fn string(&mut self, value: &str) {
        self.put("\"");
        self.characters(value);
        self.put("\"");
    }

    /// A text of several lines: browsers post CR LF for each line end, whatever was pasted.
    fn lines(&mut self, value: &str) {
        self.put("\"");
        for (i, line) in value.split("\r\n").enumerate() {
            if i > 0 {
                self.put("\\n");
            }
            self.characters(line);
        }
        self.put("\"");
    }

    fn characters(&mut self, value: &str) {
        const HEX: [char; 16] = [
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
        ];
        for c in value.chars() {
            match c {
                '"' => self.put("\\\""),
                '\\' => self.put("\\\\"),
                '\n' => self.put("\\n"),
                '\r' => self.put("\\r"),
                '\t' => self.put("\\t"),
                '\0'..='\x1f' => {
                    let code = c as usize;
                    self.put("\\u00");
                    for digit in [code >> 4, code & 15] {
                        self.text.extend(HEX.get(digit));
                    }
                }
                c => self.text.push(c),
            }
        }
    }

    fn finish(mut self) -> Zeroizing<String> {
        if self.before == "{" {
            self.put("{");
        }
        self.put("}");
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::table::{DefaultValue, Opt};

    const OPTIONS: &[Opt<'static>] = &[Opt::new("a", None), Opt::new("b", None)];
    const TEXT: Kind<'static> = Kind::Text {
        min_length: None,
        max_length: None,
        format: None,
    };
    const SEVERAL: Kind<'static> = Kind::Several {
        options: OPTIONS,
        min_items: None,
        max_items: Some(1),
    };

    fn read(
        kind: Kind<'_>,
        required: bool,
        default: Option<DefaultValue<'_>>,
        values: &[&str],
    ) -> Result<String, String> {
        let mut field = Field::new("x", "X", "", kind, required);
        field.default = default;
        let pairs: Vec<_> = std::iter::once(("csrf".to_owned(), "t".to_owned()))
            .chain(values.iter().map(|v| ("x".to_owned(), (*v).to_owned())))
            .collect();
        from_pairs(&FormTable::new(&[field]), &pairs)
            .map(|json| json.to_string())
            .map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn texts() {
        let value = "a \"b\" \\ \u{1} é\n";
        let json = read(TEXT, true, None, &[value]).unwrap();
        let back: std::collections::HashMap<String, String> = serde_json::from_str(&json).unwrap();
        assert_eq!(back["x"], value);
        assert_eq!(read(TEXT, false, None, &[" "]), Ok("{}".into()));
        assert_eq!(
            read(TEXT, true, None, &[]),
            Err("x: needs an answer".into())
        );
        assert_eq!(
            read(TEXT, true, None, &["a", "b"]),
            Err("x: is given more than once".into())
        );
    }

    #[test]
    fn numbers() {
        let kind = Kind::Integer { min: -5, max: 50 };
        for (text, json) in [
            ("5", "5"),
            (" 05 ", "5"),
            ("+5", "5"),
            ("-5", "-5"),
            ("5.0", "5.0"),
        ] {
            let expected = format!(r#"{{"x":{json}}}"#);
            assert_eq!(read(kind, true, None, &[text]), Ok(expected));
        }
        for text in ["five", "5,5", "1e", "5.5", "--5", "{}", "null"] {
            let wrong = Err("x: must be a whole number".into());
            assert_eq!(read(kind, true, None, &[text]), wrong, "{text}");
        }
        assert_eq!(
            read(kind, true, None, &["51"]),
            Err("x: must be at most 50".into())
        );
        assert_eq!(read(kind, false, None, &[""]), Ok("{}".into()));
    }

    #[test]
    fn boxes_and_yes_or_no() {
        let kind = Kind::Boolean;
        let on = Some(DefaultValue::Boolean(true));
        assert_eq!(read(kind, true, None, &[]), Ok(r#"{"x":false}"#.into()));
        assert_eq!(read(kind, false, on, &[]), Ok(r#"{"x":false}"#.into()));
        assert_eq!(read(kind, true, None, &["on"]), Ok(r#"{"x":true}"#.into()));
        assert_eq!(read(kind, false, None, &[]), Ok("{}".into()));
        assert_eq!(
            read(kind, false, None, &["false"]),
            Ok(r#"{"x":false}"#.into())
        );
        assert!(read(kind, false, None, &["maybe"]).is_err());
    }

    #[test]
    fn several_choices() {
        assert_eq!(read(SEVERAL, true, None, &[]), Ok(r#"{"x":[]}"#.into()));
        assert_eq!(read(SEVERAL, false, None, &[""]), Ok("{}".into()));
        assert_eq!(
            read(SEVERAL, true, None, &["b"]),
            Ok(r#"{"x":["b"]}"#.into())
        );
        assert!(read(SEVERAL, true, None, &["a", "b"]).is_err());
        assert!(read(SEVERAL, true, None, &["c"]).is_err());
        let kind = Kind::One(OPTIONS);
        assert_eq!(read(kind, true, None, &["b"]), Ok(r#"{"x":"b"}"#.into()));
        assert!(read(kind, true, None, &["c"]).is_err());
    }

    #[test]
    fn secrets_keep_their_lines_and_their_buffer() {
        let kind = Kind::Secret { multiline: true };
        let key = "-----BEGIN KEY-----\r\nabc\r\n";
        assert_eq!(
            read(kind, true, None, &[key]),
            Ok(r#"{"x":"-----BEGIN KEY-----\nabc\n"}"#.into())
        );
        let line = Kind::Secret { multiline: false };
        assert!(read(line, true, None, &["a\nb"]).is_err());

        let fields = [Field::new("x", "X", "", kind, true)];
        let pairs = [("x".to_owned(), "\u{1}\"\\\n".repeat(100))];
        let table = FormTable::new(&fields);
        let room = Json::with_room_for(&table, &pairs).text.capacity();
        assert_eq!(from_pairs(&table, &pairs).unwrap().capacity(), room);
    }
}
