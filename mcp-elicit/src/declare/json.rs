//! Table to JSON text, at compile time: the schema, and the whole `elicitation/create` request.
//!
//! One writer serves const code and run-time code. It writes only the keywords that the
//! specification's `PrimitiveSchemaDefinition` lists, each property in the order of declaration.

use super::table::{DefaultValue, Field, FormTable, Kind, Opt};

pub(super) const HEAD: &str =
    r#"{"method":"elicitation/create","params":{"mode":"form","message":"#;
pub(super) const MIDDLE: &str = r#","requestedSchema":"#;
pub(super) const PROPERTIES: &str = r#"{"type":"object","properties":{"#;
pub(super) const REQUIRED: &str = r#","required":["#;
pub(super) const TAIL: &str = "}}";

/// Which revision's schema is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 2025-11-25 and later.
    Current,
    /// 2025-06-18: `enum` with `enumNames`, defaults on booleans alone, no arrays.
    First,
}

/// The text of a request, and where in it the properties of its form are.
#[derive(Debug)]
pub struct Request<const LEN: usize, const FIELDS: usize> {
    text: [u8; LEN],
    marks: [Mark; FIELDS],
}

impl<const LEN: usize, const FIELDS: usize> Request<LEN, FIELDS> {
    /// The request that asks `message` with the form `table`. `LEN` is [`request_len`] of the same.
    #[must_use]
    pub const fn new(message: &str, table: &FormTable<'_>) -> Self {
        let mut it = Self {
            text: [0; LEN],
            marks: [Mark::NONE; FIELDS],
        };
        let mut json = Writer::new(&mut it.text);
        json.marks = &mut it.marks;
        json.request(message, table, Shape::Current);
        it
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &str {
        text(&self.text)
    }

    /// Where each property is.
    #[must_use]
    pub const fn marks(&self) -> &[Mark] {
        &self.marks
    }
}

/// Where in the text of a request one property is, from its name to its end. What is known only at
/// run time goes in at `open`: a list of choices, and a default in place of the declared one, which
/// is all that follows there.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "http"),
    expect(dead_code, reason = "only a server makes forms at run time")
)]
pub struct Mark {
    pub(super) start: usize,
    pub(super) open: usize,
    pub(super) end: usize,
}

impl Mark {
    const NONE: Self = Self {
        start: 0,
        open: 0,
        end: 0,
    };
}

/// How long the text of a [`Request`] is.
#[must_use]
pub const fn request_len(message: &str, table: &FormTable<'_>) -> usize {
    let mut json = Writer::new(&mut []);
    json.request(message, table, Shape::Current);
    json.len
}

/// The text of what a [`Writer`] wrote.
const fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// The schema inside of a request for `message`.
pub(crate) const fn schema_in<'a>(request: &'a str, message: &str) -> &'a str {
    let mut head = Writer::new(&mut []);
    head.head(message);
    let (_, rest) = request.split_at(head.len);
    let (schema, _) = rest.split_at(rest.len() - TAIL.len());
    schema
}

/// Appends the request that asks `message` with the form whose schema is `schema`.
pub(crate) fn append_request(out: &mut Vec<u8>, message: &str, schema: &str) {
    append_head(out, message);
    out.extend_from_slice(schema.as_bytes());
    out.extend_from_slice(TAIL.as_bytes());
}

/// Appends a request up to its schema.
pub(super) fn append_head(out: &mut Vec<u8>, message: &str) {
    append(out, |json| json.head(message));
}

/// Appends `text` as a JSON string.
#[cfg(feature = "http")]
pub(super) fn append_string(out: &mut Vec<u8>, text: &str) {
    append(out, |json| json.string(text));
}

/// Appends the schema of `table` in this shape.
pub(crate) fn append_schema(out: &mut Vec<u8>, table: &FormTable<'_>, shape: Shape) {
    append(out, |json| json.schema(table, shape));
}

/// Appends the keyword and the choices of a field of this kind.
#[cfg(feature = "http")]
pub(crate) fn append_options(out: &mut Vec<u8>, kind: Kind<'_>) {
    append(out, |json| match kind {
        Kind::One(options) => json.one(options, Shape::Current),
        Kind::Several { options, .. } => json.items(options),
        _ => {}
    });
}

/// The length of `text` as a JSON string.
pub(crate) const fn string_len(text: &str) -> usize {
    let mut json = Writer::new(&mut []);
    json.string(text);
    json.len
}

/// Counts first, so that the buffer grows once and only if its owner left too little room.
fn append(out: &mut Vec<u8>, write: impl Fn(&mut Writer<'_>)) {
    let mut count = Writer::new(&mut []);
    write(&mut count);
    let start = out.len();
    out.resize(start + count.len, 0);
    if let Some(place) = out.get_mut(start..) {
        write(&mut Writer::new(place));
    }
}

/// Writes JSON into `out`; what does not fit is only counted.
struct Writer<'o> {
    out: &'o mut [u8],
    len: usize,
    /// Where to note the places of the properties; empty where nobody asks.
    marks: &'o mut [Mark],
}

impl<'o> Writer<'o> {
    const fn new(out: &'o mut [u8]) -> Self {
        Self {
            out,
            len: 0,
            marks: &mut [],
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "constant code has no `get_mut`; the room was seen to"
    )]
    const fn bytes(&mut self, bytes: &[u8]) {
        let start = self.len;
        self.len += bytes.len();
        if self.len > self.out.len() {
            return;
        }
        // To split a slice costs the compiler as much as some twenty bytes one by one.
        if bytes.len() > 24 {
            let (_, rest) = self.out.split_at_mut(start);
            let (place, _) = rest.split_at_mut(bytes.len());
            place.copy_from_slice(bytes);
            return;
        }
        let (mut at, mut rest) = (start, bytes);
        while let [byte, after @ ..] = rest {
            self.out[at] = *byte;
            at += 1;
            rest = after;
        }
    }

    const fn put(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    const fn request(&mut self, message: &str, table: &FormTable<'_>, shape: Shape) {
        self.head(message);
        self.schema(table, shape);
        self.put(TAIL);
    }

    const fn head(&mut self, message: &str) {
        self.put(HEAD);
        self.string(message);
        self.put(MIDDLE);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "constant code has no `get_mut`; the room is seen to"
    )]
    const fn schema(&mut self, table: &FormTable<'_>, shape: Shape) {
        self.put(PROPERTIES);
        let mut rest = table.fields;
        while let [field, after @ ..] = rest {
            let start = self.len;
            self.string(field.name);
            self.put(":");
            let open = self.field(field, shape);
            let index = table.fields.len() - rest.len();
            if index < self.marks.len() {
                self.marks[index] = Mark {
                    start,
                    open,
                    end: self.len,
                };
            }
            if !after.is_empty() {
                self.put(",");
            }
            rest = after;
        }
        self.put("}");
        let mut before = REQUIRED;
        let mut rest = table.fields;
        while let [field, after @ ..] = rest {
            if field.required {
                self.put(before);
                self.string(field.name);
                before = ",";
            }
            rest = after;
        }
        if before.len() == 1 {
            self.put("]");
        }
        self.put("}");
    }

    /// Writes what a field takes. Where what is known only at run time would go.
    const fn field(&mut self, field: &Field<'_>, shape: Shape) -> usize {
        self.put(r#"{"type":""#);
        self.put(match field.kind {
            Kind::Text { .. } | Kind::One(_) | Kind::Secret { .. } => "string",
            Kind::Integer { .. } => "integer",
            Kind::Number { .. } => "number",
            Kind::Boolean => "boolean",
            Kind::Several { .. } => "array",
        });
        self.put(r#"","title":"#);
        self.string(field.title);
        if !field.description.is_empty() {
            self.put(r#","description":"#);
            self.string(field.description);
        }
        match field.kind {
            Kind::Text {
                min_length,
                max_length,
                format,
            } => {
                self.count(r#","minLength":"#, min_length);
                self.count(r#","maxLength":"#, max_length);
                if let Some(format) = format {
                    self.put(r#","format":"#);
                    self.string(format.as_str());
                }
            }
            Kind::Integer { min, max } => {
                self.put(r#","minimum":"#);
                self.integer(min);
                self.put(r#","maximum":"#);
                self.integer(max);
            }
            Kind::Number { min, max } => {
                if let Some(min) = min {
                    self.put(r#","minimum":"#);
                    self.put(min.text);
                }
                if let Some(max) = max {
                    self.put(r#","maximum":"#);
                    self.put(max.text);
                }
            }
            Kind::One(_) if field.select => {}
            Kind::One(options) => self.one(
                options,
                if field.enum_names {
                    Shape::First
                } else {
                    shape
                },
            ),
            Kind::Several {
                options,
                min_items,
                max_items,
            } => {
                self.count(r#","minItems":"#, min_items);
                self.count(r#","maxItems":"#, max_items);
                if !field.select {
                    self.items(options);
                }
            }
            Kind::Boolean | Kind::Secret { .. } => {}
        }
        let open = self.len;
        if let Some(default) = field.default
            && matches!(
                (shape, default),
                (Shape::Current, _) | (_, DefaultValue::Boolean(_))
            )
        {
            self.default(default);
        }
        self.put("}");
        open
    }

    const fn one(&mut self, options: &[Opt<'_>], shape: Shape) {
        match (are_titled(options), shape) {
            (false, _) => {
                self.put(r#","enum":"#);
                self.values(options);
            }
            (true, Shape::Current) => {
                self.put(r#","oneOf":"#);
                self.pairs(options);
            }
            (true, Shape::First) => {
                self.put(r#","enum":"#);
                self.values(options);
                self.put(r#","enumNames":"#);
                self.titles(options);
            }
        }
    }

    /// The titled form of several choices is `anyOf`, unlike that of one choice.
    const fn items(&mut self, options: &[Opt<'_>]) {
        if are_titled(options) {
            self.put(r#","items":{"anyOf":"#);
            self.pairs(options);
        } else {
            self.put(r#","items":{"type":"string","enum":"#);
            self.values(options);
        }
        self.put("}");
    }

    const fn values(&mut self, options: &[Opt<'_>]) {
        self.put("[");
        let mut rest = options;
        while let [option, after @ ..] = rest {
            self.string(option.value);
            self.comma(after.is_empty());
            rest = after;
        }
        self.put("]");
    }

    const fn titles(&mut self, options: &[Opt<'_>]) {
        self.put("[");
        let mut rest = options;
        while let [option, after @ ..] = rest {
            self.string(title_of(option));
            self.comma(after.is_empty());
            rest = after;
        }
        self.put("]");
    }

    const fn pairs(&mut self, options: &[Opt<'_>]) {
        self.put("[");
        let mut rest = options;
        while let [option, after @ ..] = rest {
            self.put(r#"{"const":"#);
            self.string(option.value);
            self.put(r#","title":"#);
            self.string(title_of(option));
            self.put("}");
            self.comma(after.is_empty());
            rest = after;
        }
        self.put("]");
    }

    const fn default(&mut self, default: DefaultValue<'_>) {
        self.put(r#","default":"#);
        match default {
            DefaultValue::Text(text) => self.string(text),
            DefaultValue::Integer(value) => self.integer(value),
            DefaultValue::Number(value) => self.put(value.text),
            DefaultValue::Boolean(true) => self.put("true"),
            DefaultValue::Boolean(false) => self.put("false"),
            DefaultValue::Several(values) => {
                self.put("[");
                let mut rest = values;
                while let [value, after @ ..] = rest {
                    self.string(value);
                    self.comma(after.is_empty());
                    rest = after;
                }
                self.put("]");
            }
        }
    }

    const fn comma(&mut self, last: bool) {
        if !last {
            self.put(",");
        }
    }

    const fn count(&mut self, keyword: &str, count: Option<u32>) {
        if let Some(count) = count {
            self.put(keyword);
            self.integer(count as i64);
        }
    }

    const fn integer(&mut self, value: i64) {
        if value < 0 {
            self.put("-");
        }
        self.digits(value.unsigned_abs());
    }

    const fn digits(&mut self, value: u64) {
        if value >= 10 {
            self.digits(value / 10);
        }
        self.bytes(&[b'0' + (value % 10) as u8]);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "constant code has no `get_mut`; the room is seen to"
    )]
    const fn string(&mut self, text: &str) {
        self.put("\"");
        let mut rest = text.as_bytes();
        while let [byte, after @ ..] = rest {
            match *byte {
                b'"' | b'\\' | 0..=0x1f => self.escape(*byte),
                // Not by `bytes`: a call costs the compiler more than the byte.
                plain => {
                    if self.len < self.out.len() {
                        self.out[self.len] = plain;
                    }
                    self.len += 1;
                }
            }
            rest = after;
        }
        self.put("\"");
    }

    const fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.put("\\\""),
            b'\\' => self.put("\\\\"),
            b'\n' => self.put("\\n"),
            b'\r' => self.put("\\r"),
            b'\t' => self.put("\\t"),
            control => {
                self.put("\\u00");
                self.bytes(&[hex(control >> 4), hex(control & 15)]);
            }
        }
    }
}

const fn hex(digit: u8) -> u8 {
    match digit {
        0..=9 => b'0' + digit,
        _ => b'a' + digit - 10,
    }
}

const fn are_titled(options: &[Opt<'_>]) -> bool {
    matches!(options, [Opt { title: Some(_), .. }, ..])
}

const fn title_of<'a>(option: &Opt<'a>) -> &'a str {
    match option.title {
        Some(title) => title,
        None => option.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::table::{Format, Num};

    const PLAIN: &[Opt<'static>] = &[Opt::new("free", None), Opt::new("pro", None)];
    const TITLED: &[Opt<'static>] = &[
        Opt::new("free", Some("Free, \"one\" project")),
        Opt::new("pro", Some("Pro")),
    ];

    fn schema(table: &FormTable<'_>, shape: Shape) -> String {
        let mut out = Vec::new();
        append_schema(&mut out, table, shape);
        String::from_utf8(out).unwrap()
    }

    fn property(field: Field<'_>) -> String {
        let all = schema(&FormTable::new(&[field]), Shape::Current);
        let head = r#"{"type":"object","properties":{"x":"#;
        let tail = if field.required {
            r#"},"required":["x"]}"#
        } else {
            "}}"
        };
        all.strip_prefix(head)
            .unwrap()
            .strip_suffix(tail)
            .unwrap()
            .to_owned()
    }

    fn field(kind: Kind<'static>) -> Field<'static> {
        Field::new("x", "X", "", kind, true)
    }

    #[test]
    fn every_kind_has_its_bytes() {
        let text = Kind::Text {
            min_length: Some(1),
            max_length: Some(40),
            format: Some(Format::Email),
        };
        assert_eq!(
            property(field(text)),
            r#"{"type":"string","title":"X","minLength":1,"maxLength":40,"format":"email"}"#
        );
        assert_eq!(
            property(field(Kind::Integer { min: -128, max: 0 })),
            r#"{"type":"integer","title":"X","minimum":-128,"maximum":0}"#
        );
        assert_eq!(
            property(field(Kind::Number {
                min: Some(Num::new(0.5, "0.5")),
                max: None
            })),
            r#"{"type":"number","title":"X","minimum":0.5}"#
        );
        assert_eq!(
            property(field(Kind::Boolean)),
            r#"{"type":"boolean","title":"X"}"#
        );
        assert_eq!(
            property(field(Kind::One(PLAIN))),
            r#"{"type":"string","title":"X","enum":["free","pro"]}"#
        );
        assert_eq!(
            property(field(Kind::One(TITLED))),
            r#"{"type":"string","title":"X","oneOf":[{"const":"free","title":"Free, \"one\" project"},{"const":"pro","title":"Pro"}]}"#
        );
    }

    #[test]
    fn several_choices_use_any_of_where_titled() {
        let several = |options| Kind::Several {
            options,
            min_items: Some(1),
            max_items: Some(2),
        };
        assert_eq!(
            property(field(several(PLAIN))),
            r#"{"type":"array","title":"X","minItems":1,"maxItems":2,"items":{"type":"string","enum":["free","pro"]}}"#
        );
        assert_eq!(
            property(field(several(TITLED))),
            r#"{"type":"array","title":"X","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"free","title":"Free, \"one\" project"},{"const":"pro","title":"Pro"}]}}"#
        );
    }

    #[test]
    fn the_first_revision_has_names_beside_values_and_boolean_defaults_alone() {
        let mut choice = Field::new("plan", "Plan", "", Kind::One(TITLED), false);
        choice.default = Some(DefaultValue::Text("pro"));
        let mut yes = Field::new("yes", "Yes", "", Kind::Boolean, false);
        yes.default = Some(DefaultValue::Boolean(true));
        let fields = [choice, yes];
        assert_eq!(
            schema(&FormTable::new(&fields), Shape::First),
            r#"{"type":"object","properties":{"plan":{"type":"string","title":"Plan","enum":["free","pro"],"enumNames":["Free, \"one\" project","Pro"]},"yes":{"type":"boolean","title":"Yes","default":true}}}"#
        );
        assert!(schema(&FormTable::new(&fields), Shape::Current).contains(r#""default":"pro""#));
    }

    #[test]
    fn control_characters_quotes_and_other_scripts() {
        for text in [
            "a\"b\\c\n\r\t\u{8}\u{c}\u{0}\u{1f}\u{7f}",
            "é — 日本 🦀",
            "",
        ] {
            let mut out = Vec::new();
            append(&mut out, |json| json.string(text));
            assert_eq!(out.len(), string_len(text));
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn request_at_compile_time_is_the_request_at_run_time() {
        const TABLE: FormTable<'static> = FormTable::new(&[Field::new(
            "age",
            "Age",
            "In \"years\"",
            Kind::Integer { min: 0, max: 255 },
            true,
        )]);
        static REQUEST: Request<{ request_len("How old?\n", &TABLE) }, 1> =
            Request::new("How old?\n", &TABLE);
        let text = REQUEST.text();
        assert_eq!(
            text,
            r#"{"method":"elicitation/create","params":{"mode":"form","message":"How old?\n","requestedSchema":{"type":"object","properties":{"age":{"type":"integer","title":"Age","description":"In \"years\"","minimum":0,"maximum":255}},"required":["age"]}}}"#
        );
        let schema = schema_in(text, "How old?\n");
        assert!(schema.starts_with(r#"{"type":"object""#) && schema.ends_with(r#"["age"]}"#));
        let mut out = b"x".to_vec();
        append_request(&mut out, "How old?\n", schema);
        assert_eq!(out.strip_prefix(b"x").unwrap(), text.as_bytes());
    }

    #[test]
    fn whole_numbers_at_their_ends() {
        for value in [0, 7, -10, i64::MAX, i64::MIN] {
            let mut out = [0; 20];
            let mut json = Writer::new(&mut out);
            json.integer(value);
            let len = json.len;
            assert_eq!(text(&out[..len]), value.to_string());
        }
    }
}
