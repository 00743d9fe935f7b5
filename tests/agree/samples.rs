//! Answers to try, as JSON texts: those at the edge of what a field takes, and wild ones.

use std::collections::BTreeSet;

use mcp_elicit::declare::{Format, Kind, Opt};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::Union;
use serde_json::{Value, json};

use crate::tables::{FORMATS, words};

/// Where the samples of one case come from.
#[derive(Debug, Clone)]
pub struct Samples {
    /// What a text of some length is made of.
    filler: char,
    texts: Vec<String>,
    whole: i64,
    decimal: f64,
    formatted: Vec<(Format, bool, String)>,
}

pub fn samples() -> impl Strategy<Value = Samples> {
    let formatted = FORMATS.map(|format| {
        vec((good(format), select(faults(format))), 2).prop_map(move |all| {
            let both = |(text, fault): (String, Fault)| {
                let bad = fault(&text);
                [(format, true, text), (format, false, bad)]
            };
            all.into_iter().flat_map(both).collect::<Vec<_>>()
        })
    });
    let filler = select(vec!['a', '"', '\\', 'é', '名', '😀', '\u{301}', '\0']);
    let numbers = (-(1_i64 << 60)..1 << 60, -1e12..1e12);
    (filler, vec(words(), 2), numbers, formatted).prop_map(
        |(filler, texts, (whole, decimal), formatted)| Samples {
            filler,
            texts,
            whole,
            decimal,
            formatted: formatted.concat(),
        },
    )
}

impl Samples {
    /// All that is tried on a field of this kind.
    pub fn all(&self, kind: Kind<'_>) -> Vec<String> {
        let mut all = self.near(kind);
        all.extend(Self::wild());
        all.push(self.whole.to_string());
        all.push(json!(self.decimal).to_string());
        all
    }

    /// Each text with a format it has, or has not.
    pub fn formatted(&self) -> impl Iterator<Item = (Format, bool, String)> {
        self.formatted
            .iter()
            .map(|(format, is_good, text)| (*format, *is_good, quoted(text)))
    }

    /// What no field takes, or only by chance.
    pub fn wild() -> Vec<String> {
        [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "0.0",
            "-0.0",
            "1",
            "1.0",
            "10e-1",
            "1E2",
            "-1e0",
            "0.5",
            "3.0000000000000001",
            "9007199254740993",
            "-9223372036854775809",
            "18446744073709551616",
            "1e19",
            "1e300",
            "-1e300",
            "5e-324",
            "[]",
            "[ ]",
            "[[]]",
            "[null]",
            "[\"\"]",
            "[1]",
            "{}",
            r#"{"a":1}"#,
            r#"{"":[{}]}"#,
            r#""""#,
            r#"" ""#,
            r#""\n\t""#,
            r#""\u00a0\u2003""#,
            "\"\u{3000}\"",
            r#""null""#,
            r#""true""#,
            r#""0""#,
            r#""1""#,
            r#""\u0061""#,
            r#""\ud83d\ude00""#,
            r#""[]""#,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn near(&self, kind: Kind<'_>) -> Vec<String> {
        match kind {
            Kind::Text {
                min_length,
                max_length,
                format,
            } => {
                let mut lengths = BTreeSet::from([1, 2]);
                for bound in [min_length, max_length].into_iter().flatten() {
                    lengths.extend([bound.saturating_sub(1), bound, bound + 1]);
                }
                let filler = self.filler.to_string();
                let texts = lengths.iter().map(|len| filler.repeat(*len as usize));
                let formatted = self.formatted.iter().map(|(_, _, text)| text.clone());
                let mut texts: Vec<_> = texts.chain(formatted).collect();
                if format.is_none() {
                    texts.extend(self.texts.iter().cloned());
                }
                // The same text with and without escapes is the same answer.
                let escaped = texts.iter().map(|it| escaped(it));
                texts.iter().map(|it| quoted(it)).chain(escaped).collect()
            }
            Kind::Integer { min, max } => {
                let mut all = Vec::new();
                for bound in [min, max] {
                    for near in [bound - 1, bound, bound + 1] {
                        all.extend([near.to_string(), format!("{near}.0"), format!("{near}e0")]);
                    }
                    all.push(format!("{bound}.5"));
                }
                all.push((min + (max - min) / 2).to_string());
                all
            }
            Kind::Number { min, max } => {
                let bounds = [min, max].into_iter().flatten();
                bounds
                    .flat_map(|bound| {
                        let value = bound.value;
                        let around = [-1.0, -0.125, 0.0, 0.125, 1.0];
                        let around = around.map(|it| json!(value + it).to_string());
                        let next = [value.next_down(), value.next_up()];
                        around
                            .into_iter()
                            .chain(next.map(|it| json!(it).to_string()))
                            .chain([bound.text.to_owned()])
                            .collect::<Vec<_>>()
                    })
                    .collect()
            }
            Kind::One(options) => options.iter().flat_map(spellings).collect(),
            Kind::Several { options, .. } => {
                let values: Vec<_> = options.iter().map(|it| it.value).collect();
                let mut lists: Vec<Value> = (0..=values.len())
                    .flat_map(|len| [json!(values[..len]), json!(values[len..])])
                    .collect();
                lists.push(json!(Vec::from_iter(values.iter().rev())));
                lists.push(json!([values[0], values[0]]));
                lists.push(json!([values[0], "no choice"]));
                lists.push(json!([values[0], null]));
                lists.push(json!([values]));
                lists.push(json!(values[0]));
                let spelled = options.iter().flat_map(spellings);
                let spelled = spelled.map(|it| format!("[ {it} ]"));
                lists.iter().map(Value::to_string).chain(spelled).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A choice by its wire name, and by what may be taken for it.
fn spellings(option: &Opt<'_>) -> Vec<String> {
    let value = option.value;
    let mut all = vec![
        quoted(value),
        escaped(value),
        quoted(&value.to_uppercase()),
        quoted(&format!("{value} ")),
    ];
    all.extend(option.title.map(quoted));
    all
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The text with every character as an escape.
fn escaped(text: &str) -> String {
    let units = text.encode_utf16();
    let escapes: String = units.map(|it| format!("\\u{it:04X}")).collect();
    format!("\"{escapes}\"")
}

/// A text of this format.
fn good(format: Format) -> BoxedStrategy<String> {
    let date = (1_u16..9999, 1_u8..13, 1_u8..32).prop_map(|(year, month, day)| {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        format!("{year:04}-{month:02}-{:02}", day.min(last))
    });
    match format {
        Format::Email => {
            let it = r"[a-z][a-z0-9+_-]{0,8}(\.[a-z0-9]{1,5})?@[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,3})?(\.[a-z]{2,5}){1,2}";
            it.boxed()
        }
        Format::Uri => prop_oneof![
            r"(https?|ftp)://[a-z]{1,8}(\.[a-z]{2,4}){1,2}(:[1-9][0-9]{1,3})?(/[a-zA-Z0-9_.~!$&'()*+,;=:@-]{0,6}(%[0-9A-Fa-f]{2})?){0,3}(\?[a-z]=[a-z0-9]?)?(#[a-z]{0,4})?",
            r"urn:[a-z]{2,6}:[a-z0-9]{1,8}",
            r"mailto:[a-z]{1,5}@[a-z]{1,5}\.[a-z]{2,3}",
        ]
        .boxed(),
        Format::Date => date.boxed(),
        _ => {
            let end = r"(\.[0-9]{1,9})?([Zz]|[+-](0[0-9]|1[0-4]):[0-5][0-9])";
            (date, "[Tt]", 0..24, 0..60, 0..60, end)
                .prop_map(|(date, t, hour, minute, second, end)| {
                    format!("{date}{t}{hour:02}:{minute:02}:{second:02}{end}")
                })
                .boxed()
        }
    }
}

/// Makes a text that has no longer its format.
type Fault = fn(&str) -> String;

fn faults(format: Format) -> Vec<Fault> {
    let own: &[Fault] = match format {
        Format::Email => &[
            |it| it.replace('@', ""),
            |it| it.replace('@', "@@"),
            |it| it.replace('@', ".@"),
            |it| it.replace('@', "@-"),
            |it| it.replace('@', " @"),
            |it| format!(".{it}"),
            |it| format!("{it}."),
            |it| format!("{it}\n"),
            |it| format!("<{it}>"),
        ],
        Format::Uri => &[
            |it| it.replace(':', ""),
            |it| format!("1{it}"),
            |it| format!(":{it}"),
            |it| format!(" {it}"),
            |it| format!("{it} "),
            |it| format!("{it}%"),
            |it| format!("{it}%2"),
            |it| format!("{it}%zz"),
            |it| format!("{it}<"),
            |it| format!("{it}\""),
            |it| format!("{it}\\"),
            |it| format!("{it}é"),
        ],
        Format::Date => &[
            |it| it.replace('-', "/"),
            |it| it.replace('-', ""),
            |it| format!("{}-00", &it[..7]),
            |it| format!("{}-32", &it[..7]),
            |it| format!("{}-00-01", &it[..4]),
            |it| format!("{}-13-01", &it[..4]),
            |it| format!("{}-02-30", &it[..4]),
            |it| format!("{}-04-31", &it[..4]),
            |it| format!("{it}Z"),
            |it| format!("{it} "),
            |it| it[1..].to_owned(),
            |it| it[..9].to_owned(),
        ],
        _ => &[
            |it| it[..10].to_owned(),
            |it| it[..16].to_owned(),
            |it| it[..19].to_owned(),
            |it| format!("{}Z", &it[..16]),
            |it| format!("{}.Z", &it[..19]),
            |it| format!("{}+1:00", &it[..19]),
            |it| format!("{}+24:00", &it[..19]),
            |it| format!("{}+0100", &it[..19]),
            |it| format!("{}24:00:00Z", &it[..11]),
            |it| format!("{}12:60:00Z", &it[..11]),
            |it| format!("{}12:00:61Z", &it[..11]),
            |it| format!("{}-02-30T12:00:00Z", &it[..4]),
            |it| it.replace(['T', 't'], "_"),
            |it| format!("{it}Z"),
        ],
    };
    own.to_vec()
}

/// Texts that have a format, nearly have it, or look like it, and which it is.
pub fn mangled() -> impl Strategy<Value = (Format, String)> {
    let one = FORMATS.map(|format| {
        let edit = (any::<Index>(), select(edits(format)), 0..4_u8);
        (near(format), vec(edit, 0..4)).prop_map(move |(text, edits)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, edit, how) in edits {
                let at = at.index(chars.len() + 1);
                match how {
                    0 => chars.insert(at, edit),
                    1 if at < chars.len() => chars[at] = edit,
                    2 if at < chars.len() => drop(chars.remove(at)),
                    _ => chars.rotate_left(at.min(1)),
                }
            }
            (format, chars.into_iter().collect())
        })
    });
    Union::new(one)
}

/// What is put into a text of a format: above all what has a meaning there.
fn edits(format: Format) -> Vec<char> {
    let own = match format {
        Format::Email => "@@..--+_!#'\"()<>,;: [] a0é",
        Format::Uri => ":::://@@[]..?##%%%0afFgG-_~!$&'()*+,;= \"<>\\^`{|}é\u{7f}",
        Format::Date => "0123459-- /T",
        _ => "0123456959:::--++..TtZz /",
    };
    own.chars().collect()
}

/// A text that has this format or comes near it in all its parts.
fn near(format: Format) -> BoxedStrategy<String> {
    match format {
        Format::Uri => {
            let host = r"(\[([0-9a-f]{0,4}:){0,8}(:[0-9a-f]{1,4}){0,3}([0-9]{1,3}(\.[0-9]{1,3}){3})?\]|\[v1\.[a-z:]{0,3}\]|[a-z0-9.]{0,6})";
            let all = format!(
                "[a-z]{{1,4}}:(//([a-z:]{{0,3}}@)?{host}(:[0-9]{{0,5}})?)?(/[a-z:@]{{0,3}}){{0,2}}(\\?[a-z/?]{{0,3}})?(#[a-z/?]{{0,3}})?"
            );
            prop_oneof![good(format), proptest::string::string_regex(&all).unwrap()].boxed()
        }
        Format::DateTime => {
            let leap = r"2016-12-31[Tt](23:59|[0-2][0-9]:[03]0|[01][0-9]:29):60([Zz]|[+-][012][0-9]:[0-3]0)";
            prop_oneof![good(format), leap].boxed()
        }
        _ => good(format),
    }
}
