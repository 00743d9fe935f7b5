//! A parameter of a tool that the model fills in as far as it can, and the user for the rest.

use super::ask::{Ask, Decode};
use super::cx::Cx;
use crate::declare::filled::Filled;
use crate::declare::invalid::Invalid;
use crate::declare::{Declaration, Fillable};
use crate::error::CallError;

/// A form as a parameter of a tool: whole when the handler starts, whoever filled it in.
///
/// To the model, no field of it is required. What the model leaves out or gets wrong, the user is
/// asked in one form of just these fields; if all that is required is there and right, nobody is
/// asked. A field that need not be filled in is in the form too, where there is one. What the user
/// writes wins. If the user declines, the call ends as that of any other question would.
///
/// ```
/// use mcp_elicit::prelude::*;
///
/// /// Where do you want to go?
/// #[derive(Elicit)]
/// struct Trip {
///     to: String,
///     #[elicit(min = 1, max = 9)]
///     people: u8,
/// }
///
/// /// Book a trip.
/// #[tool]
/// async fn book(Fill(trip): Fill<Trip>) -> String {
///     format!("{} people to {}", trip.people, trip.to)
/// }
/// # let _ = toolset![book];
/// ```
///
/// A page, a guarded form and one with `#[select]` fields cannot be filled so: what they ask is the
/// user's alone to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is made and taken apart by its one field"
)]
pub struct Fill<T>(pub T);

/// What a model gave of a form, not yet looked at.
///
/// It is made with the schema, so that the bound on the type is needed once.
#[derive(Debug)]
pub struct Filling<T> {
    given: Option<Box<str>>,
    declaration: &'static Declaration,
    decode: fn(&str) -> Result<T, Invalid>,
    /// The same of the whole of what was given and what was answered.
    decode_whole: Decode<T>,
}

impl<T: Fillable> Filling<T> {
    pub(crate) fn new(given: Option<&str>) -> Self {
        Self {
            given: given.map(Into::into),
            declaration: T::declaration(),
            decode: T::decode,
            decode_whole: |json, question| match &question.filled {
                Some(filled) => T::decode(&filled.whole(json)),
                None => T::decode(json),
            },
        }
    }
}

impl<T> Filling<T> {
    /// The whole form, of which the user is asked under `key` what is missing.
    ///
    /// # Errors
    /// That the user did not answer.
    pub async fn complete(self, cx: &Cx, key: &'static str) -> Result<Fill<T>, CallError> {
        let given = self.given.as_deref().unwrap_or("{}");
        let filled = match (self.decode)(given) {
            Ok(whole) => return Ok(Fill(whole)),
            Err(invalid) => Filled::new(self.declaration, given, &invalid),
        };
        let ask = Ask::filling(&cx.run, key, self.declaration, filled, self.decode_whole);
        Ok(Fill(ask.await?))
    }
}
