//! A JSON answer and a table to checked values, one reason for each field that is wrong.
//!
//! All of it is driven by the table and shared by all types: what is generated for a type only
//! takes the checked values. What is not in the table is ignored.

use std::borrow::Cow;
use std::fmt;

use secrecy::SecretString;
use serde_json::value::RawValue;

use super::bounds::{chars, position};
use super::invalid::Invalid;
use super::object::{find, members, string};
use super::secret::unescape;
use super::table::{DefaultValue, Field, FormTable, Kind, Opt};

/// What a user must do instead.
pub type Reason = Cow<'static, str>;

/// The value of one field after the check: it has the field's kind and is within its bounds. A type of
/// your own takes it: see [`FormField`](super::FormField).
///
/// ```
/// use mcp_elicit::declare::{Checked, FormField};
///
/// assert_eq!(u8::from_checked(Checked::Integer(7)), Ok(7));
/// assert!(u8::from_checked(Checked::Integer(700)).is_err());
/// ```
#[non_exhaustive]
pub enum Checked<'a> {
    /// Left blank.
    Absent,
    /// Not yet checked.
    #[doc(hidden)]
    Raw(&'a str),
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number.
    Integer(i64),
    /// Any number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// The index of a choice.
    One(usize),
    /// The indexes of several choices, none twice, as the user ordered them.
    Several(Vec<usize>),
    /// A secret.
    Secret(SecretString),
    /// The keys of choices known only at run time: only on the way back from a value.
    #[doc(hidden)]
    Keys(Vec<String>),
}

/// Its kind alone: no answer is ever in a log.
impl fmt::Debug for Checked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "Absent",
            Self::Raw(_) => "Raw(..)",
            Self::Text(_) => "Text(..)",
            Self::Integer(_) => "Integer(..)",
            Self::Number(_) => "Number(..)",
            Self::Boolean(_) => "Boolean(..)",
            Self::One(_) => "One(..)",
            Self::Several(_) => "Several(..)",
            Self::Secret(_) => "Secret(..)",
            Self::Keys(_) => "Keys(..)",
        })
    }
}

/// The reasons why the answer `json` does not fit `table`, if it does not.
///
/// # Errors
///
/// One reason for each field that is wrong.
pub(crate) fn check(table: &FormTable<'_>, json: &str) -> Result<(), Invalid> {
    let mut values = Vec::new();
    values.resize_with(table.fields.len(), || Checked::Absent);
    let invalid = Answers::read(table, json, &mut values).invalid;
    if invalid.is_none() {
        Ok(())
    } else {
        Err(invalid)
    }
}

/// An answer that has been checked against a table, to be taken field by field.
#[derive(Debug)]
pub struct Answers<'a, 's> {
    table: &'a FormTable<'a>,
    values: &'s mut [Checked<'a>],
    invalid: Invalid,
}

impl<'a, 's> Answers<'a, 's> {
    /// Checks `json`. There is one place in `values` for each field of the table.
    pub fn read(table: &'a FormTable<'a>, json: &'a str, values: &'s mut [Checked<'a>]) -> Self {
        let fields = table.fields;
        let place = |name: &str, hint: usize| {
            find(fields.len(), hint, |i| {
                fields.get(i).is_some_and(|f| f.name == name)
            })
        };
        let split = members(json, place, |index, value| {
            values.get_mut(index).is_none_or(|place| {
                matches!(
                    std::mem::replace(place, Checked::Raw(value)),
                    Checked::Absent
                )
            })
        });
        let mut invalid = match split {
            Ok(()) => Invalid::none(),
            Err(error) => Invalid::new(error.to_string()),
        };
        let is_object = invalid.is_none();
        for (field, value) in fields.iter().zip(values.iter_mut()) {
            // What is wrong stays unchecked, and is not taken.
            *value = match is_object.then(|| checked(field, value)) {
                Some(Ok(it)) => it,
                Some(Err(reason)) => {
                    invalid.add(field.name, reason);
                    Checked::Raw("")
                }
                None => Checked::Raw(""),
            };
        }
        Self {
            table,
            values,
            invalid,
        }
    }

    /// The value of the field at `index`, made by `from`; `None` if it is wrong.
    pub fn take<T>(
        &mut self,
        index: usize,
        from: fn(Checked<'a>) -> Result<T, Reason>,
    ) -> Option<T> {
        match from(self.value(index)?) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(index, reason);
                None
            }
        }
    }

    /// The value of the `#[select]` field at `index`, made by `from`; `None` if it is wrong.
    pub fn take_select<T>(
        &mut self,
        index: usize,
        from: fn(&[&str]) -> Result<T, Reason>,
    ) -> Option<T> {
        let options = match self.table.fields.get(index)?.kind {
            Kind::One(options) | Kind::Several { options, .. } => options,
            _ => &[],
        };
        let chosen = match self.value(index)? {
            Checked::One(it) => vec![it],
            Checked::Several(all) => all,
            _ => Vec::new(),
        };
        let values: Vec<&str> = chosen
            .into_iter()
            .filter_map(|i| options.get(i))
            .map(|it| it.value)
            .collect();
        match from(&values) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(index, reason);
                None
            }
        }
    }

    /// The whole value, if every field was right.
    ///
    /// # Errors
    ///
    /// All reasons together.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Invalid> {
        match value {
            Some(value) if self.invalid.is_none() => Ok(value),
            _ => Err(self.invalid),
        }
    }

    fn value(&mut self, index: usize) -> Option<Checked<'a>> {
        match std::mem::replace(self.values.get_mut(index)?, Checked::Raw("")) {
            Checked::Raw(_) => None,
            value => Some(value),
        }
    }

    fn refuse(&mut self, index: usize, reason: Reason) {
        let name = self.table.fields.get(index).map_or("", |f| f.name);
        self.invalid.add(name, reason);
    }
}

fn checked<'a>(field: &Field<'a>, value: &Checked<'a>) -> Result<Checked<'a>, Reason> {
    let json = match value {
        Checked::Raw(json) => json,
        _ => "null",
    };
    if is_blank(json, field) {
        return match (field.default, field.required) {
            (Some(default), _) => Ok(default_value(field.kind, default)),
            (None, true) => Err("needs an answer".into()),
            (None, false) => Ok(Checked::Absent),
        };
    }
    match field.kind {
        Kind::Text {
            min_length,
            max_length,
            format,
        } => {
            let text = string(json).ok_or("must be a text")?;
            check_length(chars(&text), min_length, max_length)?;
            match format {
                Some(format) if !format.fits(&text) => Err(format.hint().into()),
                _ => Ok(Checked::Text(text)),
            }
        }
        Kind::Integer { min, max } => integer(json, min, max).map(Checked::Integer),
        Kind::Number { min, max } => {
            let number = number(json).ok_or("must be a number")?;
            match (min, max) {
                (Some(min), _) if number < min.value => {
                    Err(format!("must be at least {}", min.text).into())
                }
                (_, Some(max)) if number > max.value => {
                    Err(format!("must be at most {}", max.text).into())
                }
                _ => Ok(Checked::Number(number)),
            }
        }
        Kind::Boolean => match json {
            "true" => Ok(Checked::Boolean(true)),
            "false" => Ok(Checked::Boolean(false)),
            _ => Err("must be true or false".into()),
        },
        Kind::One(options) => string(json)
            .and_then(|value| position(options, &value))
            .map(Checked::One)
            .ok_or_else(|| not_a_choice("must be one of", options)),
        Kind::Several {
            options,
            min_items,
            max_items,
        } => {
            let indexes = several(json, options)?;
            check_items(indexes.len(), min_items, max_items)?;
            Ok(Checked::Several(indexes))
        }
        Kind::Secret { multiline } => {
            let text = unescape(json).ok_or("must be a text")?;
            if !multiline && text.contains(['\n', '\r']) {
                return Err("must be on one line".into());
            }
            Ok(Checked::Secret(SecretString::from(&**text)))
        }
    }
}

/// Clients send `null` and empty texts for what the user left blank, and some an empty list.
fn is_blank(json: &str, field: &Field<'_>) -> bool {
    if json == "null" {
        return true;
    }
    match (json.as_bytes(), field.kind) {
        ([b'"', text @ .., b'"'], _) => match text.trim_ascii_start().first() {
            None => true,
            // White space of other scripts, or an escape that stands for some.
            Some(b'\\' | 0x80..) => unescape(json).is_some_and(|text| text.trim().is_empty()),
            Some(_) => false,
        },
        ([b'[', inside @ .., b']'], Kind::Several { min_items, .. }) => {
            !field.required
                && min_items.is_some_and(|min| min > 0)
                && inside.iter().all(u8::is_ascii_whitespace)
        }
        _ => false,
    }
}

fn default_value<'a>(kind: Kind<'a>, default: DefaultValue<'a>) -> Checked<'a> {
    match (kind, default) {
        (Kind::One(options), DefaultValue::Text(value)) => {
            position(options, value).map_or(Checked::Absent, Checked::One)
        }
        (_, DefaultValue::Text(text)) => Checked::Text(Cow::Borrowed(text)),
        (_, DefaultValue::Integer(value)) => Checked::Integer(value),
        (_, DefaultValue::Number(value)) => Checked::Number(value.value),
        (_, DefaultValue::Boolean(value)) => Checked::Boolean(value),
        (Kind::Several { options, .. }, DefaultValue::Several(values)) => Checked::Several(
            values
                .iter()
                .filter_map(|value| position(options, value))
                .collect(),
        ),
        (_, DefaultValue::Several(_)) => Checked::Absent,
    }
}

fn check_length(len: u32, min: Option<u32>, max: Option<u32>) -> Result<(), Reason> {
    let plural = |n: u32| if n == 1 { "" } else { "s" };
    match (min, max) {
        (Some(min), _) if len < min => {
            Err(format!("must have at least {min} character{}", plural(min)).into())
        }
        (_, Some(max)) if len > max => {
            Err(format!("must have at most {max} character{}", plural(max)).into())
        }
        _ => Ok(()),
    }
}

fn check_items(len: usize, min: Option<u32>, max: Option<u32>) -> Result<(), Reason> {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    match (min, max) {
        (Some(min), _) if len < min => Err(format!("needs at least {min} of the choices").into()),
        (_, Some(max)) if len > max => Err(format!("takes at most {max} of the choices").into()),
        _ => Ok(()),
    }
}

/// A whole number may be written with a decimal point, as some clients do: JSON Schema calls `3.0`
/// an integer.
fn integer(json: &str, min: i64, max: i64) -> Result<i64, Reason> {
    let value = match json.parse::<i64>() {
        Ok(value) => value,
        Err(_) => {
            let number = number(json).filter(|n| n.fract() == 0.0);
            // `as` saturates, and both ends are far outside of any field's bounds.
            number.ok_or("must be a whole number")? as i64
        }
    };
    if value < min {
        Err(format!("must be at least {min}").into())
    } else if value > max {
        Err(format!("must be at most {max}").into())
    } else {
        Ok(value)
    }
}

fn number(json: &str) -> Option<f64> {
    // A JSON value that begins so is a number; `parse` alone would also take `inf` or `+1`.
    let is_number = json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    json.parse()
        .ok()
        .filter(|n: &f64| is_number && n.is_finite())
}

fn several(json: &str, options: &[Opt<'_>]) -> Result<Vec<usize>, Reason> {
    let values: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|_| not_a_choice("must be a list of", options))?;
    let mut indexes = Vec::with_capacity(values.len().min(options.len()));
    for value in values {
        let index = string(value.get())
            .and_then(|value| position(options, &value))
            .ok_or_else(|| not_a_choice("takes only", options))?;
        if indexes.contains(&index) {
            return Err("has a choice twice".into());
        }
        indexes.push(index);
    }
    Ok(indexes)
}

/// At most a dozen are named, or one mistake would fill the user's window.
fn not_a_choice(before: &str, options: &[Opt<'_>]) -> Reason {
    if options.is_empty() {
        return "has no choices here".into();
    }
    let mut text = format!("{before}: ");
    for (i, option) in options.iter().take(12).enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        text.push_str(option.value);
    }
    if options.len() > 12 {
        text.push_str(", ..");
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::table::{Format, Num};

    const OPTIONS: &[Opt<'static>] = &[Opt::new("a", None), Opt::new("b", None)];

    const fn text(min: Option<u32>, max: Option<u32>, format: Option<Format>) -> Kind<'static> {
        Kind::Text {
            min_length: min,
            max_length: max,
            format,
        }
    }

    const fn several(min: Option<u32>, max: Option<u32>) -> Kind<'static> {
        Kind::Several {
            options: OPTIONS,
            min_items: min,
            max_items: max,
        }
    }

    fn show(value: &Checked<'_>) -> String {
        match value {
            Checked::Text(text) => format!("Text({text:?})"),
            Checked::Integer(number) => format!("Integer({number})"),
            Checked::Number(number) => format!("Number({number:?})"),
            Checked::Boolean(value) => format!("Boolean({value})"),
            Checked::One(index) => format!("One({index})"),
            Checked::Several(indexes) => format!("Several({indexes:?})"),
            Checked::Secret(secret) => format!("{secret:?}"),
            other => format!("{other:?}"),
        }
    }

    /// What `value` is for a field of this kind: the checked value, or the reason against it.
    fn read_field(field: Field<'static>, json: &str) -> String {
        let fields = [field];
        let table = FormTable::new(&fields);
        let mut values = [Checked::Absent];
        let mut answers = Answers::read(&table, json, &mut values);
        match answers.take(0, |value| Ok(show(&value))) {
            Some(value) => value,
            None => answers.finish::<()>(None).unwrap_err().to_string(),
        }
    }

    fn read(kind: Kind<'static>, required: bool, value: &str) -> String {
        let field = Field::new("x", "X", "", kind, required);
        read_field(field, &format!("{{\"x\":{value}}}"))
    }

    #[test]
    fn texts() {
        for (kind, value, expected) in [
            (text(None, None, None), r#""a""#, r#"Text("a")"#),
            (
                text(None, None, None),
                r#"" a\u00e9\n""#,
                r#"Text(" aé\n")"#,
            ),
            (text(None, None, None), "3", "x: must be a text"),
            (text(None, None, None), r#"{"a":1}"#, "x: must be a text"),
            (text(None, None, None), r#""\ud800""#, "x: must be a text"),
            (text(None, Some(2), None), r#""éé""#, r#"Text("éé")"#),
            (
                text(None, Some(2), None),
                r#""abc""#,
                "x: must have at most 2 characters",
            ),
            (
                text(Some(2), None, None),
                r#""a""#,
                "x: must have at least 2 characters",
            ),
            (
                text(None, Some(1), None),
                r#""ab""#,
                "x: must have at most 1 character",
            ),
            (
                text(None, None, Some(Format::Date)),
                r#""04/17/2025""#,
                "x: must be a date such as 2025-04-17",
            ),
        ] {
            assert_eq!(read(kind, true, value), expected, "{value}");
        }
    }

    #[test]
    fn whole_numbers() {
        let kind = Kind::Integer { min: -3, max: 200 };
        for (value, expected) in [
            ("3", "Integer(3)"),
            ("3.0", "Integer(3)"),
            ("3e0", "Integer(3)"),
            ("0.3e1", "Integer(3)"),
            ("-0", "Integer(0)"),
            ("-3", "Integer(-3)"),
            ("42.5", "x: must be a whole number"),
            ("\"3\"", "x: must be a whole number"),
            ("true", "x: must be a whole number"),
            ("[3]", "x: must be a whole number"),
            ("-4", "x: must be at least -3"),
            ("201", "x: must be at most 200"),
            ("1e300", "x: must be at most 200"),
            ("-99999999999999999999", "x: must be at least -3"),
            ("1e999", "x: must be a whole number"),
        ] {
            assert_eq!(read(kind, true, value), expected, "{value}");
        }
    }

    #[test]
    fn numbers() {
        let kind = Kind::Number {
            min: Some(Num::new(0.5, "0.5")),
            max: Some(Num::new(2.0, "2")),
        };
        for (value, expected) in [
            ("0.5", "Number(0.5)"),
            ("2", "Number(2.0)"),
            ("0.4", "x: must be at least 0.5"),
            ("2.1", "x: must be at most 2"),
            ("\"1\"", "x: must be a number"),
            ("1e999", "x: must be a number"),
        ] {
            assert_eq!(read(kind, true, value), expected, "{value}");
        }
    }

    #[test]
    fn yes_or_no() {
        assert_eq!(read(Kind::Boolean, true, "true"), "Boolean(true)");
        assert_eq!(read(Kind::Boolean, true, "false"), "Boolean(false)");
        for value in ["1", "\"true\"", "[]"] {
            assert_eq!(read(Kind::Boolean, true, value), "x: must be true or false");
        }
    }

    #[test]
    fn choices() {
        for (kind, value, expected) in [
            (Kind::One(OPTIONS), r#""b""#, "One(1)"),
            (Kind::One(OPTIONS), r#""\u0062""#, "One(1)"),
            (Kind::One(OPTIONS), r#""B""#, "x: must be one of: a, b"),
            (Kind::One(OPTIONS), "1", "x: must be one of: a, b"),
            (several(None, None), r#"["b","a"]"#, "Several([1, 0])"),
            (several(None, None), "[]", "Several([])"),
            (several(None, None), r#"["b","b"]"#, "x: has a choice twice"),
            (several(None, None), r#"["c"]"#, "x: takes only: a, b"),
            (several(None, None), "[1]", "x: takes only: a, b"),
            (several(None, None), r#""a""#, "x: must be a list of: a, b"),
            (
                several(Some(1), None),
                "[]",
                "x: needs at least 1 of the choices",
            ),
            (
                several(None, Some(1)),
                r#"["a","b"]"#,
                "x: takes at most 1 of the choices",
            ),
        ] {
            assert_eq!(read(kind, true, value), expected, "{value}");
        }
    }

    #[test]
    fn what_is_left_blank() {
        let kinds = [
            text(Some(1), None, Some(Format::Date)),
            Kind::Integer { min: 0, max: 9 },
            Kind::Number {
                min: None,
                max: None,
            },
            Kind::Boolean,
            Kind::One(OPTIONS),
            several(None, None),
            Kind::Secret { multiline: false },
        ];
        for kind in kinds {
            for value in ["null", r#""""#, r#"" ""#, r#""\t\u00a0\n""#] {
                assert_eq!(read(kind, false, value), "Absent", "{kind:?} {value}");
                assert_eq!(
                    read(kind, true, value),
                    "x: needs an answer",
                    "{kind:?} {value}"
                );
            }
            let field = |required| Field::new("x", "X", "", kind, required);
            assert_eq!(read_field(field(false), "{}"), "Absent");
            assert_eq!(read_field(field(true), "{}"), "x: needs an answer");
        }
        assert_eq!(read(several(Some(1), None), false, "[ ]"), "Absent");
        assert_eq!(read(several(None, None), false, "[]"), "Several([])");
    }

    #[test]
    fn defaults() {
        for (kind, default, expected) in [
            (
                text(None, None, None),
                DefaultValue::Text("d"),
                r#"Text("d")"#,
            ),
            (
                Kind::Integer { min: 0, max: 9 },
                DefaultValue::Integer(3),
                "Integer(3)",
            ),
            (
                Kind::Number {
                    min: None,
                    max: None,
                },
                DefaultValue::Number(Num::new(0.5, "0.5")),
                "Number(0.5)",
            ),
            (Kind::Boolean, DefaultValue::Boolean(true), "Boolean(true)"),
            (Kind::One(OPTIONS), DefaultValue::Text("b"), "One(1)"),
            (
                several(None, None),
                DefaultValue::Several(&["b"]),
                "Several([1])",
            ),
        ] {
            let mut field = Field::new("x", "X", "", kind, false);
            field.default = Some(default);
            for json in ["{}", r#"{"x":null}"#, r#"{"x":""}"#] {
                assert_eq!(read_field(field, json), expected);
            }
        }
    }

    #[test]
    fn secrets() {
        let line = Kind::Secret { multiline: false };
        let lines = Kind::Secret { multiline: true };
        assert!(read(line, true, r#""hunter2""#).contains("REDACTED"));
        assert!(read(lines, true, r#""a\nb""#).contains("REDACTED"));
        assert_eq!(read(line, true, r#""a\nb""#), "x: must be on one line");
        assert_eq!(read(line, true, "3"), "x: must be a text");
    }

    #[test]
    fn all_reasons_at_once_and_none_with_the_answer() {
        let fields = [
            Field::new("a", "A", "", Kind::Boolean, true),
            Field::new("b", "B", "", Kind::Integer { min: 0, max: 9 }, true),
            Field::new("c", "C", "", Kind::Secret { multiline: false }, true),
            Field::new("d", "D", "", text(None, Some(3), None), true),
        ];
        let table = FormTable::new(&fields);
        let json = r#"{"a":"MARK","b":77777,"d":"MARK77777","other":[1,{"a":2}]}"#;
        let reasons = check(&table, json).unwrap_err();
        assert_eq!(
            reasons.to_string(),
            "a: must be true or false; b: must be at most 9; c: needs an answer; \
             d: must have at most 3 characters"
        );
        assert!(!format!("{reasons:?}").contains("MARK"));
        assert_eq!(check(&table, r#"{"a":true,"b":1,"c":"x","d":"y"}"#), Ok(()));
    }

    #[test]
    fn an_answer_that_is_no_object() {
        let fields = [Field::new("a", "A", "", Kind::Boolean, false)];
        let table = FormTable::new(&fields);
        for json in ["", "null", "[]", "true", r#"{"a":true"#, r#"{"a":true}x"#] {
            let reason = check(&table, json).unwrap_err().to_string();
            assert_eq!(reason, "must be a JSON object", "{json}");
        }
        let twice = check(&table, r#"{"a":true,"a":false}"#).unwrap_err();
        assert_eq!(twice.to_string(), "has a member twice");
    }
}
