//! A form table, what was typed and what was wrong with it, as the controls of a page. It uses
//! the table in `declare`; the HTML is in the templates.

use crate::declare::{DefaultValue, Field, FormTable, Format, Kind, Opt};

use super::body::Pairs;
use super::page;
use super::problems::Problems;

/// Most choices that are all shown at once; more become a menu.
const RADIOS: usize = 5;

/// One field of a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FieldView<'a> {
    /// Its id in the page. What explains it has `-hint` and `-error` behind.
    pub id: String,
    /// The name under which it is posted.
    pub name: &'a str,
    /// What it is called.
    pub label: &'a str,
    /// What else there is to know; may be empty.
    pub hint: String,
    /// What is wrong with what was typed.
    pub error: Option<&'a str>,
    /// Whether the browser shall not send the form while it is empty.
    pub required: bool,
    /// Whether the label says that the field may be left empty.
    pub optional: bool,
    /// Whether the page opens with the cursor here.
    pub focus: bool,
    /// How it is filled in.
    pub control: Control<'a>,
}

impl<'a> FieldView<'a> {
    /// HTML of the field: its label, hint and error, and the control.
    #[must_use]
    pub fn html(&self) -> String {
        page::field(self)
    }

    /// A line of plain text that has to be filled in.
    pub(super) fn line(name: &'a str, label: &'a str, value: &str, error: Option<&'a str>) -> Self {
        Self {
            id: name.to_owned(),
            name,
            label,
            hint: String::new(),
            error,
            required: true,
            optional: false,
            focus: true,
            control: Control::Line(Line {
                kind: "text",
                value: value.to_owned(),
                bounds: Vec::new(),
            }),
        }
    }

    /// The ids of what explains the field to a screen reader.
    pub(super) fn notes(&self) -> Option<String> {
        let id = &self.id;
        match (self.hint.is_empty(), self.error) {
            (true, None) => None,
            (false, None) => Some(format!("{id}-hint")),
            (true, Some(_)) => Some(format!("{id}-error")),
            (false, Some(_)) => Some(format!("{id}-error {id}-hint")),
        }
    }
}

/// How a field is filled in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Control<'a> {
    /// One line of text, a number, a date.
    Line(Line),
    /// One line that is not shown while it is typed. It is never filled in for the person.
    Secret,
    /// Several such lines.
    SecretText,
    /// Yes or no, and whether it says yes.
    Check(bool),
    /// One of a few.
    Radios(Vec<OptionView<'a>>),
    /// One of many.
    Menu(Vec<OptionView<'a>>),
    /// Any number of these.
    Checks(Vec<OptionView<'a>>),
}

/// One line of text or a number.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Line {
    /// The type of the input, such as `email`.
    pub kind: &'static str,
    /// What stands in it.
    pub value: String,
    /// Attributes that let the browser check before it sends.
    pub bounds: Vec<(&'static str, String)>,
}

/// One choice.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OptionView<'a> {
    /// What is posted.
    pub value: &'a str,
    /// What stands beside it.
    pub title: &'a str,
    /// Whether it is chosen.
    pub on: bool,
}

/// The fields of a page. `typed` is what came back with `problems`; without it defaults are shown.
pub(super) fn view<'a>(
    table: &FormTable<'a>,
    typed: Option<&'a Pairs>,
    problems: &'a Problems,
) -> Vec<FieldView<'a>> {
    let mut focused = false;
    let fields = table.fields.iter().enumerate();
    fields
        .map(|(i, field)| {
            let error = problems.of(field.name);
            let focus = error.is_some() && !focused;
            focused |= focus;
            FieldView {
                id: format!("f{i}"),
                name: field.name,
                label: field.title,
                hint: hint(field),
                error,
                required: field.required && !matches!(field.kind, Kind::Boolean),
                optional: !field.required && !matches!(control_of(field), Shape::Check),
                focus,
                control: control(field, typed),
            }
        })
        .collect()
}

/// The kinds of control, before they are filled.
enum Shape<'a> {
    Line(&'static str),
    Secret,
    SecretText,
    Check,
    YesNo,
    One(&'a [Opt<'a>]),
    Several(&'a [Opt<'a>]),
}

fn control_of<'a>(field: &Field<'a>) -> Shape<'a> {
    match field.kind {
        Kind::Text { format, .. } => Shape::Line(match format {
            Some(Format::Email) => "email",
            Some(Format::Uri) => "url",
            Some(Format::Date) => "date",
            // The browser's own control for it has no time zone.
            Some(Format::DateTime) | None => "text",
        }),
        Kind::Integer { .. } | Kind::Number { .. } => Shape::Line("number"),
        Kind::Boolean if is_menu(field) => Shape::YesNo,
        Kind::Boolean => Shape::Check,
        Kind::One(options) => Shape::One(options),
        Kind::Several { options, .. } => Shape::Several(options),
        Kind::Secret { multiline: false } => Shape::Secret,
        Kind::Secret { multiline: true } => Shape::SecretText,
    }
}

/// A yes or no that may be left open needs a third choice, which a box does not have.
fn is_menu(field: &Field<'_>) -> bool {
    !field.required && field.default.is_none()
}

fn control<'a>(field: &Field<'a>, typed: Option<&'a Pairs>) -> Control<'a> {
    let is_on = |value: &str| match typed {
        Some(pairs) => pairs.of(field.name).any(|given| given == value),
        None => match field.default {
            Some(DefaultValue::Text(default)) => default == value,
            Some(DefaultValue::Boolean(default)) => value == if default { "true" } else { "false" },
            Some(DefaultValue::Several(defaults)) => defaults.contains(&value),
            _ => false,
        },
    };
    let views = |options: &'a [Opt<'a>]| {
        options.iter().map(|option| OptionView {
            value: option.value,
            title: option.title.unwrap_or(option.value),
            on: is_on(option.value),
        })
    };
    let none = |title| OptionView {
        value: "",
        title,
        on: false,
    };
    match control_of(field) {
        Shape::Line(kind) => Control::Line(Line {
            kind,
            value: text(field, typed),
            bounds: bounds(field),
        }),
        Shape::Secret => Control::Secret,
        Shape::SecretText => Control::SecretText,
        Shape::Check => Control::Check(is_on("true")),
        Shape::YesNo => Control::Menu(vec![
            none("No answer"),
            OptionView {
                value: "true",
                title: "Yes",
                on: is_on("true"),
            },
            OptionView {
                value: "false",
                title: "No",
                on: is_on("false"),
            },
        ]),
        Shape::One(options) if options.len() <= RADIOS => {
            let mut all: Vec<_> = views(options).collect();
            if !field.required && field.default.is_none() {
                let mut open = none("No answer");
                open.on = !all.iter().any(|option| option.on);
                all.push(open);
            }
            Control::Radios(all)
        }
        Shape::One(options) => {
            let open = if field.required {
                "Please choose"
            } else {
                "No answer"
            };
            Control::Menu(std::iter::once(none(open)).chain(views(options)).collect())
        }
        Shape::Several(options) => Control::Checks(views(options).collect()),
    }
}

fn text(field: &Field<'_>, typed: Option<&Pairs>) -> String {
    match (typed, field.default) {
        (Some(pairs), _) => pairs.of(field.name).next().unwrap_or_default().to_owned(),
        (None, Some(DefaultValue::Text(text))) => text.to_owned(),
        (None, Some(DefaultValue::Integer(number))) => number.to_string(),
        (None, Some(DefaultValue::Number(number))) => number.text.to_owned(),
        (None, _) => String::new(),
    }
}

fn bounds(field: &Field<'_>) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let mut add = |name, value: Option<String>| all.extend(value.map(|value| (name, value)));
    match field.kind {
        Kind::Text {
            min_length,
            max_length,
            ..
        } => {
            add("minlength", min_length.map(|n| n.to_string()));
            add("maxlength", max_length.map(|n| n.to_string()));
        }
        Kind::Integer { min, max } => {
            add("min", Some(min.to_string()));
            add("max", Some(max.to_string()));
            add("step", Some("1".to_owned()));
        }
        Kind::Number { min, max } => {
            add("min", min.map(|n| n.text.to_owned()));
            add("max", max.map(|n| n.text.to_owned()));
            add("step", Some("any".to_owned()));
        }
        _ => {}
    }
    all
}

/// The description, and the rules that a control does not show by itself.
fn hint(field: &Field<'_>) -> String {
    let rule = match field.kind {
        Kind::Text {
            format: Some(Format::DateTime),
            ..
        } => Some("Enter date, time and zone, such as 2026-12-31T17:00:00Z.".to_owned()),
        Kind::Text {
            min_length,
            max_length,
            ..
        } => {
            let least = min_length.filter(|n| *n > 1).map(|n| n.to_string());
            range(least, max_length.map(|n| n.to_string()))
                .map(|range| format!("Enter {range} characters."))
        }
        Kind::Integer { min, max } => {
            let least = (!is_type_bound(min)).then(|| min.to_string());
            let most = (!is_type_bound(max)).then(|| max.to_string());
            range(least, most).map(|range| format!("Enter a number, {range}."))
        }
        Kind::Number { min, max } => {
            let least = min.map(|n| n.text.to_owned());
            range(least, max.map(|n| n.text.to_owned()))
                .map(|range| format!("Enter a number, {range}."))
        }
        Kind::Several {
            min_items,
            max_items,
            ..
        } => {
            let least = min_items.filter(|n| *n > 0).map(|n| n.to_string());
            range(least, max_items.map(|n| n.to_string())).map(|range| format!("Choose {range}."))
        }
        Kind::Boolean | Kind::One(_) | Kind::Secret { .. } => None,
    };
    let description = field.description.trim_end();
    match rule {
        None => description.to_owned(),
        Some(rule) if description.is_empty() => rule,
        Some(rule) if description.ends_with(['.', '!', '?']) => format!("{description} {rule}"),
        Some(rule) => format!("{description}. {rule}"),
    }
}

fn range(least: Option<String>, most: Option<String>) -> Option<String> {
    match (least, most) {
        (None, None) => None,
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (Some(least), Some(most)) if least == most => Some(least),
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
    }
}

/// Whether a bound merely comes from the number's type, which tells a user nothing. A lower bound
/// of zero does tell something, but reads as noise before "at most 65535".
fn is_type_bound(bound: i64) -> bool {
    const EXACT: i64 = (1 << 53) - 1;
    [
        i64::from(i8::MIN),
        i64::from(i8::MAX),
        i64::from(u8::MAX),
        i64::from(i16::MIN),
        i64::from(i16::MAX),
        i64::from(u16::MAX),
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        i64::from(u32::MAX),
        -EXACT,
        EXACT,
        0,
    ]
    .contains(&bound)
}
