//! A form of which part is filled in already: what is left to ask, and the whole of both.
//!
//! What was given comes from a model or an author and what is asked from the user, so the user's word
//! wins where both have one. It knows nothing of requests.

use super::declaration::Declaration;
use super::invalid::Invalid;
use super::joined::Part;
use super::json;
use super::object;
use super::table::FormTable;

/// What was given of a form, and which of its fields are to be asked.
#[derive(Debug)]
pub(crate) struct Filled {
    table: &'static FormTable<'static>,
    fields: Vec<Place>,
    /// Why what was given was not enough; nothing if it was merely not all.
    wrong: Option<String>,
}

#[derive(Debug, Default)]
struct Place {
    /// JSON text.
    given: Option<Box<str>>,
    asked: bool,
}

impl Filled {
    /// What is left to ask after `given` was refused as `invalid`: what is wrong, and all that was
    /// left out.
    pub(crate) fn new(declaration: &Declaration, given: &str, invalid: &Invalid) -> Self {
        let table = declaration.table();
        let names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        let mut found = vec![None; names.len()];
        // What is no object gives nothing, and neither does one that gives something twice.
        if object::split(given, &names, &mut found).is_err() {
            found.fill(None);
        }
        let mut wrong = Invalid::none();
        for (name, reason) in invalid.reasons() {
            match name {
                None => wrong = wrong.and(Invalid::new(reason.to_owned())),
                Some(name) if is_given(&names, &found, name) => wrong.add(name, reason.to_owned()),
                // What was left out needs no reason to be asked.
                Some(_) => {}
            }
        }
        let mut it = Self {
            table,
            fields: found
                .into_iter()
                .map(|given| Place {
                    asked: given.is_none(),
                    given: given.map(Into::into),
                })
                .collect(),
            wrong: (!wrong.is_none()).then(|| wrong.to_string()),
        };
        it.ask_also(invalid);
        it
    }

    /// A form that is asked whole and shown with what was given, an object.
    pub(crate) fn shown(declaration: &Declaration, given: &str) -> Self {
        let table = declaration.table();
        let names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        let mut found = vec![None; names.len()];
        if object::split(given, &names, &mut found).is_err() {
            found.fill(None);
        }
        let place = |given: Option<&str>| Place {
            given: given.map(Into::into),
            asked: true,
        };
        Self {
            table,
            fields: found.into_iter().map(place).collect(),
            wrong: None,
        }
    }

    /// Shows what the user has written, where it is asked again: what was emptied stays empty.
    pub(crate) fn keep(&mut self, content: &str) {
        let names: Vec<&str> = self.table.fields.iter().map(|field| field.name).collect();
        let mut written = vec![None; names.len()];
        if object::split(content, &names, &mut written).is_err() {
            return;
        }
        for (place, written) in self.fields.iter_mut().zip(written) {
            place.given = written.filter(|json| !is_blank(json)).map(Into::into);
        }
    }

    /// What was given, as JSON text.
    pub(crate) fn given(&self) -> String {
        self.whole("{}")
    }

    /// Why what was given was not enough; nothing if it was merely not all.
    pub(crate) fn wrong(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// Asks for what these reasons name too; where one concerns the whole, for everything.
    pub(crate) fn ask_also(&mut self, invalid: &Invalid) {
        for (name, _) in invalid.reasons() {
            let named = |field: &str| name.is_none_or(|name| name == field);
            for (place, field) in self.fields.iter_mut().zip(self.table.fields) {
                if named(field.name) {
                    place.asked = true;
                    if name.is_some() {
                        place.given = None;
                    }
                }
            }
        }
    }

    /// What becomes of a field in the form of what is left.
    pub(crate) fn part(&self, index: usize) -> Part<'_> {
        match self.fields.get(index) {
            Some(Place { asked: false, .. }) => Part::LeftOut,
            Some(Place {
                given: Some(given), ..
            }) => Part::Default(given),
            _ => Part::Declared,
        }
    }

    /// The whole answer, as JSON text: the user's `content`, and what was given where that says
    /// nothing. What is no object comes back as it is, for whoever checks it.
    pub(crate) fn whole(&self, content: &str) -> String {
        let names: Vec<&str> = self.table.fields.iter().map(|field| field.name).collect();
        let mut answered = vec![None; names.len()];
        if object::split(content, &names, &mut answered).is_err() {
            return content.to_owned();
        }
        let mut out = Vec::with_capacity(content.len() + 64);
        out.push(b'{');
        for ((name, place), answer) in names.iter().zip(&self.fields).zip(answered) {
            let Some(value) = answer.or(place.given.as_deref()) else {
                continue;
            };
            if out.len() > 1 {
                out.push(b',');
            }
            json::append_string(&mut out, name);
            out.push(b':');
            out.extend_from_slice(value.as_bytes());
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Whether a value stands for none: null, or a text of blanks.
fn is_blank(json: &str) -> bool {
    let text = json.strip_prefix('"').and_then(|j| j.strip_suffix('"'));
    json == "null" || text.is_some_and(|text| text.trim().is_empty())
}

fn is_given(names: &[&str], found: &[Option<&str>], name: &str) -> bool {
    let mut pairs = names.iter().zip(found);
    pairs.any(|(it, value)| *it == name && value.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::field::FormField;
    use crate::declare::table::{Field, FormTable};

    const FIELDS: &[Field<'static>] = &[
        Field::new("to", "To", "", <String as FormField>::KIND, true),
        Field::new("seats", "Seats", "", <u8 as FormField>::KIND, true),
        Field::new("note", "Note", "", <String as FormField>::KIND, false),
    ];
    static TABLE: FormTable<'static> = FormTable::new(FIELDS);

    fn filled(given: &str, invalid: &Invalid) -> Filled {
        let mut it = Filled::new(
            crate::declare::declaration::after_error(),
            "{}",
            &Invalid::none(),
        );
        it.table = &TABLE;
        let names = ["to", "seats", "note"];
        let mut found = vec![None; 3];
        object::split(given, &names, &mut found).unwrap();
        it.fields = found
            .into_iter()
            .map(|given: Option<&str>| Place {
                asked: given.is_none(),
                given: given.map(Into::into),
            })
            .collect();
        it.ask_also(invalid);
        it
    }

    fn asked(it: &Filled) -> Vec<bool> {
        (0..3)
            .map(|i| !matches!(it.part(i), Part::LeftOut))
            .collect()
    }

    #[test]
    fn what_was_left_out_or_wrong_is_asked() {
        let wrong = Invalid::field("seats", "must be at most 255");
        let it = filled(r#"{"to":"Oslo","seats":300}"#, &wrong);
        assert_eq!(asked(&it), [false, true, true]);
        assert!(matches!(it.part(1), Part::Declared));
        assert_eq!(it.whole(r#"{"seats":2}"#), r#"{"to":"Oslo","seats":2}"#);
        // The wrong value is gone, so a blank answer does not bring it back.
        assert_eq!(it.whole("{}"), r#"{"to":"Oslo"}"#);
    }

    #[test]
    fn a_reason_for_the_whole_asks_everything_again_with_what_was_given() {
        let it = filled(r#"{"to":"Oslo","seats":2}"#, &Invalid::new("is full"));
        assert_eq!(asked(&it), [true, true, true]);
        assert!(matches!(it.part(0), Part::Default("\"Oslo\"")));
        assert_eq!(it.whole(r#"{"to":"Rome"}"#), r#"{"to":"Rome","seats":2}"#);
    }

    #[test]
    fn what_is_no_object_is_for_the_check_to_refuse() {
        assert_eq!(filled("{}", &Invalid::none()).whole("[1]"), "[1]");
    }
}
