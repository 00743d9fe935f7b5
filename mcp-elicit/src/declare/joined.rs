//! Forms made at run time: of the constant texts of their properties, and of what only then is
//! known.
//!
//! What stays as declared is copied as it is, so that a form made here differs from the constant one
//! only where it has to.

use super::json::{self, Mark};
use super::table::Field;

/// What becomes of one property.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'p> {
    /// It is as declared.
    Declared,
    /// It is not asked.
    LeftOut,
    /// It has this default, as JSON text, in place of the declared one.
    Default(&'p str),
    /// It has these choices, as a keyword and its value.
    List(&'p [u8]),
}

/// Appends the request that asks `message` with these parts. `request` is the constant text that the
/// marks are of.
pub(super) fn append<'p, 'f>(
    out: &mut Vec<u8>,
    message: &str,
    request: &str,
    parts: impl Iterator<Item = (&'f Field<'f>, &'f Mark, Part<'p>)> + Clone,
) {
    let text = |from: usize, to: usize| request.as_bytes().get(from..to).unwrap_or_default();
    json::append_head(out, message);
    out.extend_from_slice(json::PROPERTIES.as_bytes());
    let mut before: &[u8] = b"";
    for (_, mark, part) in parts.clone() {
        if matches!(part, Part::LeftOut) {
            continue;
        }
        out.extend_from_slice(before);
        before = b",";
        match part {
            Part::Declared | Part::LeftOut => out.extend_from_slice(text(mark.start, mark.end)),
            Part::Default(value) => {
                out.extend_from_slice(text(mark.start, mark.open));
                out.extend_from_slice(br#","default":"#);
                out.extend_from_slice(value.as_bytes());
                out.push(b'}');
            }
            Part::List(list) => {
                out.extend_from_slice(text(mark.start, mark.open));
                out.extend_from_slice(list);
                out.extend_from_slice(text(mark.open, mark.end));
            }
        }
    }
    out.push(b'}');
    // What has a default may be left out by the client.
    let required = parts.filter(|(field, _, part)| {
        field.required && matches!(part, Part::Declared | Part::List(_))
    });
    let mut before = json::REQUIRED.as_bytes();
    for (field, ..) in required {
        out.extend_from_slice(before);
        json::append_string(out, field.name);
        before = b",";
    }
    if before.len() == 1 {
        out.push(b']');
    }
    out.push(b'}');
    out.extend_from_slice(json::TAIL.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::json::{Request, request_len};
    use crate::declare::table::{DefaultValue, FormTable, Kind, Opt};

    const KIND: Kind<'static> = Kind::Integer { min: 0, max: 9 };
    const fn field(name: &'static str) -> Field<'static> {
        Field::new(name, "T", "", KIND, true)
    }
    const FIELDS: &[Field<'static>] = &[
        field("\"a\""),
        {
            let mut field = field("b");
            field.default = Some(DefaultValue::Integer(3));
            field.required = false;
            field
        },
        Field::new("c", "C", "", Kind::One(&[]), true).with_select(),
        Field::new(
            "d",
            "D",
            "",
            Kind::Several {
                options: &[],
                min_items: Some(1),
                max_items: None,
            },
            false,
        )
        .with_select(),
    ];
    const TABLE: &FormTable<'static> = &FormTable::new(FIELDS);
    static REQUEST: Request<{ request_len("M", TABLE) }, 4> = Request::new("M", TABLE);

    fn joined(parts: [Part<'_>; 4]) -> String {
        let mut out = Vec::new();
        let parts = FIELDS.iter().zip(REQUEST.marks()).zip(parts);
        let parts = parts.map(|((field, mark), part)| (field, mark, part));
        append(&mut out, "M", REQUEST.text(), parts);
        let text = String::from_utf8(out).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        let (_, schema) = text.split_once(r#""requestedSchema":"#).unwrap();
        schema.strip_suffix("}}").unwrap().to_owned()
    }

    #[test]
    fn as_declared_it_is_the_constant_text() {
        let mut out = Vec::new();
        let parts = FIELDS.iter().zip(REQUEST.marks());
        let parts = parts.map(|(field, mark)| (field, mark, Part::Declared));
        append(&mut out, "M", REQUEST.text(), parts);
        assert_eq!(String::from_utf8(out).unwrap(), REQUEST.text());
    }

    #[test]
    fn a_subset_with_another_default() {
        use Part::{Declared, Default, LeftOut};
        assert_eq!(
            joined([Declared, LeftOut, LeftOut, LeftOut]),
            r#"{"type":"object","properties":{"\"a\"":{"type":"integer","title":"T","minimum":0,"maximum":9}},"required":["\"a\""]}"#
        );
        assert_eq!(
            joined([Default("7"), Default("8"), LeftOut, LeftOut]),
            r#"{"type":"object","properties":{"\"a\"":{"type":"integer","title":"T","minimum":0,"maximum":9,"default":7},"b":{"type":"integer","title":"T","minimum":0,"maximum":9,"default":8}}}"#
        );
        assert_eq!(
            joined([LeftOut, Declared, LeftOut, LeftOut]),
            r#"{"type":"object","properties":{"b":{"type":"integer","title":"T","minimum":0,"maximum":9,"default":3}}}"#
        );
        assert_eq!(joined([LeftOut; 4]), r#"{"type":"object","properties":{}}"#);
    }

    #[test]
    fn lists_of_run_time_go_to_their_places() {
        let options = [Opt::new("x", Some("X \"1\"")), Opt::new("y", Some("Y"))];
        let [mut one, mut several] = [Vec::new(), Vec::new()];
        json::append_options(&mut one, Kind::One(&options));
        json::append_options(
            &mut several,
            Kind::Several {
                options: &options,
                min_items: None,
                max_items: None,
            },
        );
        assert_eq!(
            joined([
                Part::LeftOut,
                Part::LeftOut,
                Part::List(&one),
                Part::List(&several)
            ]),
            r#"{"type":"object","properties":{"c":{"type":"string","title":"C","oneOf":[{"const":"x","title":"X \"1\""},{"const":"y","title":"Y"}]},"d":{"type":"array","title":"D","minItems":1,"items":{"anyOf":[{"const":"x","title":"X \"1\""},{"const":"y","title":"Y"}]}}},"required":["c"]}"#
        );
    }
}
