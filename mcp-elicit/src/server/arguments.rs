//! The arguments of a call, from their JSON text straight into the types of a handler's parameters.
//!
//! One pass finds the members, each value is then read by its own type; all problems are gathered.
//! It uses the pass over an object's members and serde; it knows neither schemas nor requests; how the problems are put into words
//! is in `refusal`.

use std::cell::RefCell;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::declare::{Fillable, object};
use crate::runtime::Filling;

use super::absent;
use super::refusal::{BadArguments, Problem};

/// What a parameter of a tool can be: anything with `serde::Deserialize` and `schemars::JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool [elicit::11]",
    label = "not `Deserialize` and `JsonSchema`",
    note = "a parameter's type needs `#[derive(serde::Deserialize, schemars::JsonSchema)]` and owns its data",
    note = "`Args<T>` and `Fill<T>` are written out where they stand, not by another name",
    note = "a secret is never a parameter, since the model would see it: ask for it on a page, with `#[elicit(url = \"..\")]`"
)]
pub trait Argument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// All arguments of a tool as one type, whose schema is then the schema of the tool.
///
/// ```
/// use mcp_elicit::{Args, schemars, serde, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # #[serde(crate = "mcp_elicit::serde")]
/// # #[schemars(crate = "mcp_elicit::schemars")]
/// struct Trip {
///     /// Where to
///     to: String,
///     /// How many people
///     people: u8,
/// }
///
/// /// Plan a trip.
/// #[tool]
/// async fn plan(Args(trip): Args<Trip>) -> String {
///     format!("{} people to {}", trip.people, trip.to)
/// }
/// # let _ = mcp_elicit::toolset![plan];
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is made and taken apart by its one field"
)]
pub struct Args<T>(pub T);

/// How one parameter is read: its place among the members and its type's own functions.
///
/// It is made with the schema, so that the bound on the type is needed once.
#[derive(Debug)]
pub struct Slot<T> {
    index: usize,
    read: fn(&str) -> Result<T, serde_json::Error>,
    absent: fn() -> Option<T>,
    null_is_absent: bool,
}

impl<T: Argument> Slot<T> {
    /// The parameter at `index`, which is needed unless its type can do without a value.
    pub(crate) fn new(index: usize) -> Self {
        Self {
            index,
            read: read::<T>,
            absent: absent::value::<T>,
            null_is_absent: false,
        }
    }

    /// The parameter at `index`, for which `default` stands in.
    pub(crate) fn with_default(index: usize, default: fn() -> Option<T>) -> Self {
        Self {
            index,
            read: read::<T>,
            absent: default,
            null_is_absent: true,
        }
    }
}

impl<T: Fillable> Slot<Filling<T>> {
    /// The parameter at `index`, of which the user is asked what is missing.
    pub(crate) fn filling(index: usize) -> Self {
        Self {
            index,
            read: |text| Ok(Filling::new(Some(text))),
            absent: || Some(Filling::new(None)),
            null_is_absent: true,
        }
    }
}

/// How all arguments are read as one type.
#[derive(Debug)]
pub struct Whole<T>(fn(&str) -> Result<T, serde_json::Error>);

impl<T: Argument> Whole<T> {
    pub(crate) fn new() -> Self {
        Self(read::<T>)
    }
}

impl<T> Whole<T> {
    /// The arguments.
    ///
    /// # Errors
    ///
    /// What `T` does not take.
    pub fn take(&self, arguments: Option<&RawValue>) -> Result<Args<T>, BadArguments> {
        let text = arguments.map_or("{}", RawValue::get);
        if !text.starts_with('{') {
            return Err(Problem::NotAnObject.into());
        }
        (self.0)(text)
            .map(Args)
            .map_err(|error| Problem::Whole(error).into())
    }
}

/// The members of a call's arguments that belong to the parameters `names`, and what is wrong with
/// them so far.
#[derive(Debug)]
pub struct Given<'a, const N: usize> {
    names: &'static [&'static str; N],
    found: [Option<&'a str>; N],
    problems: Vec<Problem>,
    /// Whether each value comes as a text, whatever its type.
    texts: bool,
}

impl<'a, const N: usize> Given<'a, N> {
    /// Finds the members. What no parameter has the name of is a problem.
    #[must_use]
    pub fn find(arguments: Option<&'a RawValue>, names: &'static [&'static str; N]) -> Self {
        let mut found = [None; N];
        // It is told once, or the answer would grow with the request.
        let mut repeated = [false; N];
        let problems = RefCell::new(Vec::new());
        if let Some(arguments) = arguments {
            let position = |name: &str, hint: usize| {
                let index = object::find(N, hint, |i| names.get(i) == Some(&name));
                if index.is_none() {
                    problems
                        .borrow_mut()
                        .push(Problem::Unknown(name.to_owned()));
                }
                index
            };
            let mut take = |index: usize, value| {
                if let Some(place) = found.get_mut(index)
                    && place.replace(value).is_some()
                    && let Some(told) = repeated.get_mut(index)
                    && !std::mem::replace(told, true)
                {
                    let name = names.get(index).copied().unwrap_or_default();
                    problems.borrow_mut().push(Problem::Repeated(name));
                }
                true
            };
            if object::members(arguments.get(), position, &mut take).is_err() {
                problems.borrow_mut().push(Problem::NotAnObject);
            }
        }
        let problems = problems.into_inner();
        Self {
            names,
            found,
            problems,
            texts: false,
        }
    }

    /// Finds the members of a prompt's arguments, which are texts whatever their types.
    #[must_use]
    pub fn find_texts(arguments: Option<&'a RawValue>, names: &'static [&'static str; N]) -> Self {
        Self {
            texts: true,
            ..Self::find(arguments, names)
        }
    }

    /// The value of one parameter; nothing, and a problem more, if it does not fit.
    pub fn take<T>(&mut self, slot: &Slot<T>) -> Option<T> {
        let value = self.found.get(slot.index).copied().flatten();
        let is_absent = |it: &&str| {
            // A client sends an empty text for what was left blank.
            (slot.null_is_absent && *it == "null")
                || (self.texts && *it == "\"\"" && (slot.absent)().is_some())
        };
        match value.filter(|it| !is_absent(it)) {
            Some(value) => (slot.read)(value)
                .or_else(|error| self.read_text(slot, value).ok_or(error))
                .map_err(|error| self.wrong(slot.index, error))
                .ok(),
            None => (slot.absent)().or_else(|| self.missing(slot.index)),
        }
    }

    /// A value that is no text itself but came as one: `"3"` for a number.
    fn read_text<T>(&self, slot: &Slot<T>, value: &str) -> Option<T> {
        let text: String = serde_json::from_str(value).ok().filter(|_| self.texts)?;
        (slot.read)(&text).ok()
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// All problems there were.
    pub fn finish(self) -> Result<(), BadArguments> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(self.refuse())
        }
    }

    /// The refusal with all problems there were.
    #[must_use]
    pub fn refuse(self) -> BadArguments {
        BadArguments::of(self.problems, self.names.as_slice())
    }

    fn name(&self, index: usize) -> &'static str {
        self.names.get(index).copied().unwrap_or_default()
    }

    fn wrong(&mut self, index: usize, error: serde_json::Error) {
        self.problems.push(Problem::Wrong(self.name(index), error));
    }

    fn missing<T>(&mut self, index: usize) -> Option<T> {
        // Arguments that are no object have no members to miss.
        if !matches!(self.problems.first(), Some(Problem::NotAnObject)) {
            self.problems.push(Problem::Missing(self.name(index)));
        }
        None
    }
}

/// Reads one value. A whole number may be written with a fraction of zero or an exponent, as JSON
/// Schema has it; serde does not take these, so a second look is taken where there is one.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        if !text.contains(['.', 'e', 'E']) {
            return Err(error);
        }
        let mut value: Value = serde_json::from_str(text)?;
        make_whole(&mut value);
        serde_json::from_value(value).map_err(|_| error)
    })
}

fn make_whole(value: &mut Value) {
    // Beyond this, neighbours among the whole numbers are the same float.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number
                .as_f64()
                .filter(|it| it.fract() == 0.0 && it.abs() <= EXACT);
            if let Some(whole) = whole {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is whole and within 53 bits"
                )]
                let whole = whole as i64;
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(members) => members.values_mut().for_each(make_whole),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str; 3] = &["to", "seats", "note"];

    type Read = (Option<String>, Option<u16>, Option<Option<String>>);

    fn read_all(json: Option<&str>) -> Result<(String, u16, Option<String>), String> {
        let raw = json.map(|it| RawValue::from_string(it.to_owned()).unwrap());
        let mut given = Given::find(raw.as_deref(), NAMES);
        let read: Read = (
            given.take(&Slot::new(0)),
            given.take(&Slot::with_default(1, || Some(1))),
            given.take(&Slot::new(2)),
        );
        let (Some(to), Some(seats), Some(note)) = read else {
            return Err(given.refuse().to_string());
        };
        given.finish().map_err(|it| it.to_string())?;
        Ok((to, seats, note))
    }

    fn lines(json: &str) -> Vec<String> {
        let text = read_all(Some(json)).unwrap_err();
        text.lines().skip(1).map(ToOwned::to_owned).collect()
    }

    #[test]
    fn each_parameter_gets_its_member() {
        assert_eq!(
            read_all(Some(r#"{ "note": "n", "t\u006f": "Oslo", "seats": 2 }"#)),
            Ok(("Oslo".to_owned(), 2, Some("n".to_owned())))
        );
    }

    #[test]
    fn what_is_left_out_is_none_or_its_default() {
        let oslo = Ok(("Oslo".to_owned(), 1, None));
        assert_eq!(read_all(Some(r#"{"to":"Oslo"}"#)), oslo);
        assert_eq!(
            read_all(Some(r#"{"to":"Oslo","seats":null,"note":null}"#)),
            oslo
        );
    }

    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        assert_eq!(read_all(Some(r#"{"to":"","seats":3.0}"#)).unwrap().1, 3);
        assert_eq!(read_all(Some(r#"{"to":"","seats":1e2}"#)).unwrap().1, 100);
        assert_eq!(lines(r#"{"to":"","seats":42.5}"#).len(), 1);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        assert_eq!(
            lines(r#"{"seats":"many","note":7,"zeta":1,"beta":{}}"#),
            [
                "- `to`: missing, expected a value",
                "- `seats`: invalid type: string \"many\", expected u16",
                "- `note`: invalid type: integer `7`, expected a string",
                "- `zeta`, `beta`: no such parameter, the parameters are `to`, `seats`, `note`",
            ]
        );
    }

    #[test]
    fn no_arguments_are_an_empty_object() {
        assert!(read_all(None).unwrap_err().contains("`to`: missing"));
        let mut none = Given::find(None, &[]);
        assert_eq!(none.take(&Slot::<u8>::new(0)), None);
        assert!(Given::find(None, &[]).finish().is_ok());
    }

    #[test]
    fn what_is_no_object_is_one_problem() {
        for json in ["[]", "3", "\"{}\"", "true"] {
            assert_eq!(lines(json), ["- the arguments must be an object"], "{json}");
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            assert!(Whole::<Value>::new().take(Some(&raw)).is_err());
        }
    }

    #[test]
    fn a_member_given_twice_is_a_problem() {
        assert_eq!(
            lines(r#"{"to":"a","to":"a"}"#),
            ["- `to`: given more than once"]
        );
    }

    #[test]
    fn the_refusal_does_not_grow_with_the_request() {
        let members = (0..10_000)
            .map(|i| format!("\"{i:0>200}\":0"))
            .collect::<Vec<_>>();
        let text = read_all(Some(&format!("{{{}}}", members.join(",")))).unwrap_err();
        assert!(text.len() < 1_000, "{}", text.len());
        assert!(text.contains("and 9992 more"));
    }
}
