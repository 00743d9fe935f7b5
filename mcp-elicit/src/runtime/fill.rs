//! A parameter of a tool that the model fills in as far as it can, and the user for the rest.

use std::marker::PhantomData;

use super::ask::Ask;
use super::cx::Cx;
use crate::declare::Fillable;
use crate::declare::filled::Filled;
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
#[derive(Debug)]
pub struct Filling<T> {
    json: Option<Box<str>>,
    form: PhantomData<fn() -> T>,
}

impl<T> Filling<T> {
    pub(crate) fn new(json: Option<&str>) -> Self {
        Self {
            json: json.map(Into::into),
            form: PhantomData,
        }
    }
}

impl<T: Fillable> Filling<T> {
    /// The whole form, of which the user is asked under `key` what is missing.
    ///
    /// # Errors
    /// That the user did not answer.
    pub async fn complete(self, cx: &Cx, key: &'static str) -> Result<Fill<T>, CallError> {
        let given = self.json.as_deref().unwrap_or("{}");
        let filled = match T::decode(given) {
            Ok(whole) => return Ok(Fill(whole)),
            Err(invalid) => Filled::new(T::declaration(), given, &invalid),
        };
        Ok(Fill(Ask::filling(&cx.run, key, filled).await?))
    }
}
