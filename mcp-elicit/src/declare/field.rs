//! Which types a field of a form may have.
//!
//! A type decides by a trait, never by its name, so that aliases work. The types themselves are in
//! the files beside this one.

use std::borrow::Cow;

use super::answer::Checked;
use super::table::Kind;

/// A type that a field of a form may have.
///
/// Text, numbers, `bool`, choices, dates, several choices, and an `Option` of each. A type of your
/// own may stand for one of them:
///
/// ```
/// use mcp_elicit::Elicit;
///
/// #[derive(Elicit)]
/// #[elicit(transparent)]
/// struct City(String);
///
/// /// Where to?
/// #[derive(Elicit)]
/// struct Trip {
///     #[elicit(max_length = 40)]
///     to: City,
///     via: Option<City>, // a newtype may stand wherever the type in it may
/// }
///
/// let trip = Trip::decode(r#"{"to":"Oslo"}"#)?;
/// assert_eq!(trip.to.0, "Oslo");
/// assert!(trip.via.is_none());
/// # Ok::<(), mcp_elicit::Invalid>(())
/// ```
///
/// One that takes less than its kind says implements the trait itself:
///
/// ```
/// use std::borrow::Cow;
/// use mcp_elicit::declare::{Checked, FormField, FormValue, Kind};
///
/// struct Even(u8);
///
/// impl FormField for Even {
///     const KIND: Kind<'static> = <u8 as FormField>::KIND;
///
///     fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
///         match u8::from_checked(value)? {
///             number if number % 2 == 0 => Ok(Self(number)),
///             _ => Err("must be even".into()),
///         }
///     }
///
///     fn to_checked(&self) -> Checked<'_> {
///         self.0.to_checked()
///     }
/// }
/// impl FormValue for Even {} // it may also stand in an `Option`
/// # assert!(Even::from_checked(Checked::Integer(4)).is_ok_and(|it| it.0 == 4));
/// # assert!(Even::from_checked(Checked::Integer(3)).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an elicitation form [elicit::3]",
    label = "not a type for a form field",
    note = "a form is flat: `String`, `bool`, numbers up to 64 bits, dates of `jiff`, `chrono` or `time` and `url::Url` (each with the feature of that name), a `#[derive(Choice)]` enum, of choices also a `Vec` or `BTreeSet`, and an `Option` of each",
    note = "for an enum of your own, derive `Choice` on it; for a struct, write its fields here, or ask twice with two types; for any other value, take a `String` and check it by `#[elicit(check = some_fn)]` on the struct"
)]
pub trait FormField: Sized {
    /// What the field takes, with the bounds of the type.
    const KIND: Kind<'static>;
    /// Whether it must be filled in.
    const REQUIRED: bool = true;

    /// The value of a field that was checked against [`KIND`](Self::KIND).
    ///
    /// # Errors
    ///
    /// What the user must do instead, without the value itself.
    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>>;

    /// The way back: what [`from_checked`](Self::from_checked) makes this very value of.
    fn to_checked(&self) -> Checked<'_>;
}

/// A field type that may also stand in an `Option`: any but an `Option`. See [`FormField`] for one of
/// your own.
///
/// ```
/// fn may_be_left_blank<T: mcp_elicit::declare::FormValue>() {}
/// may_be_left_blank::<String>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an elicitation form [elicit::3]",
    label = "not a type for a form field",
    note = "a form is flat: `String`, `bool`, numbers up to 64 bits, dates of `jiff`, `chrono` or `time` and `url::Url` (each with the feature of that name), a `#[derive(Choice)]` enum, of choices also a `Vec` or `BTreeSet`, and an `Option` of each",
    note = "for an enum of your own, derive `Choice` on it; for a struct, write its fields here, or ask twice with two types; for any other value, take a `String` and check it by `#[elicit(check = some_fn)]` on the struct"
)]
pub trait FormValue: FormField {}

impl<T: FormValue> FormField for Option<T> {
    const KIND: Kind<'static> = T::KIND;
    const REQUIRED: bool = false;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Absent => Ok(None),
            value => T::from_checked(value).map(Some),
        }
    }

    fn to_checked(&self) -> Checked<'_> {
        self.as_ref().map_or(Checked::Absent, T::to_checked)
    }
}

/// Holds for a reference to a [`FormValue`]. A newtype has that trait only if the type in it has, which is
/// known where it is used; the lifetime keeps the compiler from asking where the newtype is made.
pub trait IfFormValue {}

impl<T: FormValue> IfFormValue for &T {}

/// What can be left blank once. No type has it: it is there for its message.
#[diagnostic::on_unimplemented(
    message = "`Option<Option<_>>` cannot be a field of an elicitation form; write one `Option`: an answer is there or left blank [elicit::3]",
    label = "an `Option` within an `Option`"
)]
pub trait LeftBlankOnce {}

/// Stands for a type inside of an `Option`.
#[derive(Debug)]
pub struct InOption<T>(std::marker::PhantomData<T>);

impl<T: FormValue> FormValue for Option<T> where InOption<T>: LeftBlankOnce {}

/// The reason for a value that its table did not check.
pub(crate) fn unfit<T>() -> Result<T, Cow<'static, str>> {
    Err("needs an answer".into())
}
