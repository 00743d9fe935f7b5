//! What can be asked: forms and pages as types, each with one const table that all else reads.
//!
//! A type becomes one by [`#[derive(Elicit)]`](derive@crate::Elicit). This layer knows JSON and nothing of
//! requests, servers or time. It stands alone with `default-features = false`.

pub(crate) mod answer;
pub(crate) mod bounds;
pub(crate) mod choice;
pub(crate) mod constant;
pub(crate) mod declaration;
pub(crate) mod field;
#[cfg(feature = "http")]
pub(crate) mod filled;
mod format;
pub(crate) mod input;
pub(crate) mod invalid;
#[cfg(feature = "http")]
pub(crate) mod joined;
pub(crate) mod json;
#[cfg(feature = "http")]
pub(crate) mod link;
#[cfg(feature = "http")]
pub(crate) mod lists;
pub(crate) mod object;
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "time",
    feature = "url"
))]
mod parsed;
mod phrase;
mod primitives;
pub(crate) mod refuse;
pub(crate) mod secret;
pub(crate) mod select;
pub(crate) mod stored;
pub(crate) mod table;
#[doc(hidden)]
pub mod written;

pub use answer::Checked;
pub use declaration::{Declaration, Fallback, Keep, Mode};
pub use field::{FormField, FormValue};
pub use input::from_pairs;
pub use object::{NotAnObject, split};
pub use secret::SecretField;
pub use select::{Choices, NothingToGive, SelectField, SelectKey, SelectMode};
pub use stored::StoredTable;
pub use table::{DefaultValue, Field, FormTable, Format, Kind, Num, Opt};

use invalid::Invalid;

/// A type whose value a user can be asked for.
///
/// `#[derive(Elicit)]` implements it, together with [`FormMode`] or [`PageMode`].
///
/// ```
/// use mcp_elicit::Elicit;
///
/// /// Where do you want to sit?
/// #[derive(Elicit, Debug)]
/// struct Seat {
///     row: u8,
///     window: Option<bool>,
/// }
///
/// let seat = Seat::decode(r#"{"row": 3.0}"#)?;
/// assert_eq!((seat.row, seat.window), (3, None));
///
/// let wrong = Seat::decode(r#"{"row": 300, "window": "yes"}"#).unwrap_err();
/// assert_eq!(wrong.to_string(), "row: must be at most 255; window: must be true or false");
/// # Ok::<(), mcp_elicit::Invalid>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked for [elicit::4]",
    label = "is not a form or page",
    note = "what is asked is always a struct of named fields with `#[derive(Elicit)]`"
)]
pub trait Elicit: Sized + Send + 'static {
    /// What must be given to ask it: nothing, which is `()`, or the choices of its
    /// [`#[select]` fields](crate::Select).
    type Options;

    /// What is known of the type.
    fn declaration() -> &'static Declaration;

    /// The value that an answer holds, checked in every way that was declared.
    ///
    /// # Errors
    ///
    /// One reason for each field that is wrong, without the answers themselves. Without the choices of
    /// the moment, no answer fits a `#[select]` field.
    fn decode(json: &str) -> Result<Self, Invalid>;

    /// The way back: gives `each` what every field holds, in their order. A secret is left out of
    /// every build but one for tests.
    #[doc(hidden)]
    fn each_value(&self, each: &mut dyn FnMut(Checked<'_>));
}

/// An [`Elicit`] type that a client shows as a form.
///
/// ```
/// use mcp_elicit::Elicit;
/// use mcp_elicit::declare::FormMode;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct Guest {
///     name: String,
/// }
///
/// fn schema<T: FormMode>() -> &'static str {
///     T::declaration().schema()
/// }
/// assert!(schema::<Guest>().contains("name"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not asked in a form [elicit::1]",
    label = "is asked on a page, or not at all",
    note = "a type with `#[elicit(url = ..)]` is asked on a page of this server alone"
)]
pub trait FormMode: Elicit {}

/// A form of which a part may be filled in before the user sees it, by a model or an author: one that is neither guarded nor has `#[select]` fields.
///
/// ```
/// use mcp_elicit::Elicit;
/// use mcp_elicit::declare::Fillable;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct Guest {
///     name: String,
/// }
///
/// fn may_be_a_parameter<T: Fillable>() {}
/// may_be_a_parameter::<Guest>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be filled in beforehand [elicit::11]",
    label = "is a page, guarded, has `#[select]` fields, or is no form",
    note = "what it asks is the user's alone to give: ask it in the handler, by `cx.ask::<{Self}>()`"
)]
pub trait Fillable: FormMode {}

/// An [`Elicit`] type that is asked on a page of this server, out of the client's sight.
///
/// ```
/// use mcp_elicit::prelude::*;
/// use mcp_elicit::declare::PageMode;
///
/// /// Your account.
/// #[derive(Elicit)]
/// #[elicit(url = "/ui/account")]
/// struct Account {
///     #[secret]
///     key: SecretString,
/// }
///
/// fn message<T: PageMode>() -> &'static str {
///     T::declaration().message()
/// }
/// assert_eq!(message::<Account>(), "Your account.");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not asked on a page [elicit::1]",
    label = "is asked in a form, or not at all",
    note = "give the type `#[elicit(url = \"/ui/name\")]` to ask it on a page"
)]
pub trait PageMode: Elicit {}
