//! Why arguments were refused, in words that a model can act on.
//!
//! It uses the problems that reading the arguments brought and the tool's own schema. It is no
//! validator: whether arguments fit is decided by the types alone.

use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

use super::explain::{Explainer, expected};
use super::reply::Reply;

/// How many unknown members are named.
const NAMED: usize = 8;
/// How much of an unknown member's name is shown.
const NAME_LENGTH: usize = 64;

/// What one look at the arguments found.
#[derive(Debug)]
pub(crate) enum Problem {
    NotAnObject,
    Missing(&'static str),
    Wrong(&'static str, serde_json::Error),
    Unknown(String),
    Repeated(&'static str),
    /// The arguments as one type do not fit.
    Whole(serde_json::Error),
    /// In a handler's own words.
    Other(String),
}

/// Arguments that do not fit a tool's parameters: all problems at once, a line each.
///
/// It is an input error in the sense of the specification, so the model gets it as a result with
/// `isError: true` and may try again.
#[derive(Debug)]
pub struct BadArguments {
    problems: Vec<Problem>,
    known: &'static [&'static str],
    lines: Vec<String>,
}

impl BadArguments {
    /// A refusal in your own words, e.g. ``"`back` must be after `departure`"``.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Problem::Other(text.into()).into()
    }

    pub(crate) fn of(problems: Vec<Problem>, known: &'static [&'static str]) -> Self {
        let mut refusal = Self {
            problems,
            known,
            lines: Vec::new(),
        };
        refusal.lines = refusal.words(&Value::Bool(true), None);
        refusal
    }

    /// Says the same in the terms of the tool's schema.
    pub(crate) fn explain(mut self, schema: &Value, arguments: Option<&RawValue>) -> Self {
        self.lines = self.words(schema, arguments);
        self
    }

    /// The answer that tells the model.
    #[must_use]
    pub fn into_reply(self) -> Reply {
        Reply::error(self.to_string())
    }

    fn words(&self, schema: &Value, arguments: Option<&RawValue>) -> Vec<String> {
        let arguments = arguments
            .and_then(|it| serde_json::from_str(it.get()).ok())
            .unwrap_or(Value::Null);
        let mut lines = Vec::new();
        for problem in &self.problems {
            match problem {
                Problem::NotAnObject => lines.push("the arguments must be an object".to_owned()),
                Problem::Missing(name) => {
                    let property = property(schema, name);
                    lines.push(format!(
                        "`{name}`: missing, expected {}",
                        expected(property, schema)
                    ));
                }
                Problem::Wrong(name, error) => {
                    let value = arguments.get(*name).unwrap_or(&Value::Null);
                    let said = Explainer::new(schema).explain(property(schema, name), value, name);
                    if said.is_empty() {
                        lines.push(format!("`{name}`: {}", plain(error)));
                    }
                    lines.extend(said);
                }
                Problem::Whole(error) => {
                    let said = Explainer::new(schema).explain(schema, &arguments, "");
                    if said.is_empty() {
                        lines.push(plain(error));
                    }
                    lines.extend(said);
                }
                Problem::Repeated(name) => lines.push(format!("`{name}`: given more than once")),
                Problem::Unknown(_) => {}
                Problem::Other(text) => lines.push(text.clone()),
            }
        }
        lines.extend(self.unknown());
        lines
    }

    /// One line for all unknown members, so that the answer does not grow with the request.
    fn unknown(&self) -> Option<String> {
        let mut unknown = self.problems.iter().filter_map(|problem| match problem {
            Problem::Unknown(name) => Some(format!("`{}`", short(name))),
            _ => None,
        });
        let first = unknown.by_ref().take(NAMED).collect::<Vec<_>>();
        if first.is_empty() {
            return None;
        }
        let more = match unknown.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let known = self
            .known
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>();
        let known = match known.as_slice() {
            [] => "the tool takes no arguments".to_owned(),
            known => format!("the parameters are {}", known.join(", ")),
        };
        Some(format!(
            "{}{more}: no such parameter, {known}",
            first.join(", ")
        ))
    }
}

impl From<Problem> for BadArguments {
    fn from(problem: Problem) -> Self {
        Self::of(vec![problem], &[])
    }
}

impl fmt::Display for BadArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments do not fit. Correct them and call again.")?;
        self.lines
            .iter()
            .try_for_each(|line| write!(f, "\n- {line}"))
    }
}

impl std::error::Error for BadArguments {}

fn property<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property.unwrap_or(&Value::Bool(true))
}

/// What serde says, without the place in the text: the model did not write the text.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) if error.line() > 0 => text.get(..end).unwrap_or_default().to_owned(),
        _ => text,
    }
}

fn short(name: &str) -> &str {
    let end = name
        .char_indices()
        .nth(NAME_LENGTH)
        .map_or(name.len(), |(i, _)| i);
    name.get(..end).unwrap_or_default()
}
