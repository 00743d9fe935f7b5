//! A value back to the answer that would give it: for forms that are shown filled in, and for tests.
//!
//! A type gives its values in the order of its table, see [`Elicit::each_value`]. A secret is never
//! written here; what a test types into a page has a way of its own.

use super::Elicit;
use super::answer::Checked;
use super::table::{Field, Kind};

/// The answer that gives `value`, as [`Elicit::decode`] takes it, without secrets. What a value has
/// and no answer can say, such as a text of blanks, is written as it is, and refused as any other.
pub fn json<T: Elicit>(value: &T) -> String {
    let mut out = String::from("{");
    each(value, |field, json| {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&quoted(field.name));
        out.push(':');
        out.push_str(&json);
    });
    out.push('}');
    out
}

/// Gives `each` the fields that are not left blank, each with the JSON text of what it holds, without
/// secrets.
pub fn each<T: Elicit>(value: &T, mut each: impl FnMut(&'static Field<'static>, String)) {
    let mut fields = T::declaration().table().fields.iter();
    value.each_value(&mut |checked| {
        if let Some(field) = fields.next()
            && let Some(json) = text(field.kind, &checked)
        {
            each(field, json);
        }
    });
}

/// The JSON text of one field; `None` where there is nothing to write.
pub fn text(kind: Kind<'_>, value: &Checked<'_>) -> Option<String> {
    let options = match kind {
        Kind::One(options) | Kind::Several { options, .. } => options,
        _ => &[],
    };
    let option = |index: &usize| options.get(*index).map(|it| quoted(it.value));
    Some(match value {
        Checked::Absent | Checked::Raw(_) | Checked::Secret(_) => return None,
        Checked::Text(text) => quoted(text),
        Checked::Integer(number) => number.to_string(),
        Checked::Number(number) => serde_json::Value::from(*number).to_string(),
        Checked::Boolean(value) => value.to_string(),
        Checked::One(index) => option(index)?,
        Checked::Several(indexes) => list(indexes.iter().filter_map(option)),
        Checked::Keys(keys) if matches!(kind, Kind::Several { .. }) => {
            list(keys.iter().map(|key| quoted(key)))
        }
        Checked::Keys(keys) => quoted(keys.first()?),
    })
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
