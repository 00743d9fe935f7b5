//! Choices known only at run time: the type of such a field, and what asks for the choices.
//!
//! The const table of such a form has empty lists at these places. It does not put the given ones in.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use super::FormMode;
use super::answer::Checked;
use super::choice::Choice;
use super::field::{FormField, FormValue, unfit};
use super::invalid::Invalid;
use super::table::{FormTable, Kind, Opt};

/// The most choices one list may have: more, no user looks through.
pub(super) const MOST: usize = 250;

/// One of some choices that are known only at run time, such as the user's repositories.
///
/// It stands in a `#[select]` field of a form, by itself, in an `Option`, or in a `Vec` for several.
/// `K` is what a choice is known by: its `Display` form is what travels, and is read back by its
/// `FromStr`. An answer counts only if it is among the choices of the moment.
///
/// ```
/// use mcp_elicit::prelude::*;
///
/// /// Where shall it go?
/// #[derive(Elicit)]
/// struct Route {
///     #[select]
///     repo: Select<u64>,
///     #[select]
///     #[elicit(max_items = 3)]
///     labels: Vec<Select>,
/// }
///
/// // The derive makes the struct that says what there is to choose from.
/// let options = RouteOptions {
///     repo: vec![(17, "core"), (23, "web")].into(),
///     labels: [("bug".to_owned(), "A fault")].into(),
/// };
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Select<K = String> {
    key: K,
}

impl<K> Select<K> {
    /// What the chosen one is known by.
    pub const fn key(&self) -> &K {
        &self.key
    }

    /// The same, by value.
    pub fn into_key(self) -> K {
        self.key
    }
}

impl<K: FromStr> Select<K> {
    fn read(value: &str) -> Result<Self, Cow<'static, str>> {
        // Only a key whose two forms do not fit each other gets here.
        let key = value.parse().map_err(|_| "is not one of the choices")?;
        Ok(Self { key })
    }
}

/// What a `#[select]` field may be: [`Select`], an `Option` or a `Vec` of it.
///
/// ```
/// use mcp_elicit::declare::SelectField;
/// use mcp_elicit::prelude::Select;
///
/// fn may_select<T: SelectField>() {}
/// may_select::<Select>();
/// may_select::<Option<Select<u64>>>();
/// may_select::<Vec<Select>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be selected at run time; write `Select`, `Option<Select>` or `Vec<Select>` [elicit::3]",
    label = "not a type for a `#[select]` field",
    note = "`Select<K>` is for keys other than text"
)]
pub trait SelectField: Sized {
    /// What a choice is known by.
    type Key: Display;
    /// What the field takes, with an empty list.
    const KIND: Kind<'static>;
    /// The same with the longest list.
    #[doc(hidden)]
    const WIDEST: Kind<'static>;
    /// Whether it must be filled in.
    const REQUIRED: bool;

    /// The value of a field, of what was chosen.
    ///
    /// # Errors
    ///
    /// What the user must do instead.
    fn from_chosen(values: &[&str]) -> Result<Self, Cow<'static, str>>;

    /// The way back: the keys that were chosen, as texts.
    #[doc(hidden)]
    fn to_checked(&self) -> Checked<'static>;
}

/// What a [`Select`] can be known by: anything that is written as a text and read back from it.
///
/// ```
/// fn may_be_key<K: mcp_elicit::declare::SelectKey>() {}
/// may_be_key::<String>();
/// may_be_key::<u64>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a `Select`: it is sent by its `Display` and read back by its `FromStr` [elicit::3]",
    label = "has not both of them"
)]
pub trait SelectKey: Display + FromStr {}

#[diagnostic::do_not_recommend]
impl<K: Display + FromStr> SelectKey for K {}

const LONGEST: &[Opt<'static>] = &[Opt::new("", None); MOST];

impl<K: SelectKey> SelectField for Select<K> {
    type Key = K;
    const KIND: Kind<'static> = Kind::One(&[]);
    const WIDEST: Kind<'static> = Kind::One(LONGEST);
    const REQUIRED: bool = true;

    fn from_chosen(values: &[&str]) -> Result<Self, Cow<'static, str>> {
        values.first().map_or_else(unfit, |value| Self::read(value))
    }

    fn to_checked(&self) -> Checked<'static> {
        keys([self])
    }
}

impl<K: SelectKey> SelectField for Option<Select<K>> {
    type Key = K;
    const KIND: Kind<'static> = <Select<K> as SelectField>::KIND;
    const WIDEST: Kind<'static> = <Select<K> as SelectField>::WIDEST;
    const REQUIRED: bool = false;

    fn from_chosen(values: &[&str]) -> Result<Self, Cow<'static, str>> {
        values.first().map(|value| Select::read(value)).transpose()
    }

    fn to_checked(&self) -> Checked<'static> {
        keys(self)
    }
}

impl<K: SelectKey> SelectField for Vec<Select<K>> {
    type Key = K;
    const KIND: Kind<'static> = several(&[]);
    const WIDEST: Kind<'static> = several(LONGEST);
    const REQUIRED: bool = true;

    fn from_chosen(values: &[&str]) -> Result<Self, Cow<'static, str>> {
        values.iter().map(|value| Select::read(value)).collect()
    }

    fn to_checked(&self) -> Checked<'static> {
        keys(self)
    }
}

fn keys<'s, K: Display + 's>(chosen: impl IntoIterator<Item = &'s Select<K>>) -> Checked<'static> {
    Checked::Keys(chosen.into_iter().map(|it| it.key.to_string()).collect())
}

const fn several(options: &'static [Opt<'static>]) -> Kind<'static> {
    Kind::Several {
        options,
        min_items: None,
        max_items: None,
    }
}

/// A form whose choices are partly known only at run time; made by `#[derive(Elicit)]` for a struct with
/// `#[select]` fields.
///
/// ```
/// use mcp_elicit::declare::SelectMode;
/// use mcp_elicit::prelude::*;
///
/// /// Which one?
/// #[derive(Elicit)]
/// struct Repo {
///     #[select]
///     repo: Select,
/// }
///
/// fn needs_options<T: SelectMode>() -> bool {
///     T::declaration().has_selects()
/// }
/// assert!(needs_options::<Repo>());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no choices to be given; ask it with `cx.ask::<{Self}>()` [elicit::4]",
    label = "has no `#[select]` fields",
    note = "choices known only at run time are asked by a field `#[select] name: Select`"
)]
pub trait SelectMode: FormMode {
    /// The choices of each `#[select]` field, in order.
    #[doc(hidden)]
    fn lists(options: Self::Options) -> Vec<Vec<Choosable>>;

    /// [`decode`](crate::Elicit::decode) by a table that has the choices.
    ///
    /// # Errors
    ///
    /// One reason for each field that is wrong.
    #[doc(hidden)]
    fn decode_with(json: &str, table: &FormTable<'_>) -> Result<Self, Invalid>;
}

/// What must be given to ask a form without choices known only at run time: nothing.
#[diagnostic::on_unimplemented(
    message = "the choices of `{T}` are known only at run time: ask it with `cx.ask_with::<{T}>(..)`, and `{T}Options` for them [elicit::4]",
    label = "has `#[select]` fields"
)]
pub trait NothingToGive<T> {}

impl<T> NothingToGive<T> for () {}

/// One choice as it was given: what travels, and what a person reads.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Choosable {
    /// The key as text.
    pub value: String,
    /// The label.
    pub title: String,
}

/// The choices that a `#[select]` field of type `T` is asked with: what each is known by, and the title
/// that a person reads. Made of a list of such pairs.
///
/// ```
/// use mcp_elicit::declare::Choices;
/// use mcp_elicit::prelude::Select;
///
/// let fixed: Choices<Select> = [("core".to_owned(), "The core")].into();
/// let found: Choices<Vec<Select<u64>>> = vec![(17, "core".to_owned())].into();
/// let made: Choices<Option<Select<u64>>> = (1..=3).map(|i| (i, format!("Number {i}"))).collect();
/// # let _ = (fixed, found, made);
/// ```
// Without a bound, so that a wrong type of a field is one error, at the field.
pub struct Choices<T> {
    list: Vec<Choosable>,
    _field: PhantomData<fn() -> T>,
}

impl<T> Choices<T> {
    /// The choices alone.
    #[doc(hidden)]
    #[must_use]
    pub fn into_list(self) -> Vec<Choosable> {
        self.list
    }
}

impl<T: SelectField, S: Into<String>> FromIterator<(T::Key, S)> for Choices<T> {
    fn from_iter<I: IntoIterator<Item = (T::Key, S)>>(pairs: I) -> Self {
        let list = pairs
            .into_iter()
            .map(|(key, title)| Choosable {
                value: key.to_string(),
                title: title.into(),
            })
            .collect();
        Self {
            list,
            _field: PhantomData,
        }
    }
}

impl<T: SelectField, S: Into<String>> From<Vec<(T::Key, S)>> for Choices<T> {
    fn from(pairs: Vec<(T::Key, S)>) -> Self {
        pairs.into_iter().collect()
    }
}

impl<T: SelectField, S: Into<String>, const N: usize> From<[(T::Key, S); N]> for Choices<T> {
    fn from(pairs: [(T::Key, S); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<T> fmt::Debug for Choices<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

/// What a fixed list may hold. No type has it: it is there for its message.
#[diagnostic::on_unimplemented(
    message = "a `Select` field needs `#[select]` before it [elicit::3]",
    label = "choices known only at run time, without `#[select]`",
    note = "for choices known now, write an enum with `#[derive(Choice)]`"
)]
pub trait KnownNow {}

/// Stands for a `Select` without its attribute.
#[derive(Debug)]
pub struct Unmarked<K>(PhantomData<K>);

// As for secrets: generic, to be refused with a message of its own.
impl<K> FormField for Select<K>
where
    Unmarked<K>: KnownNow,
{
    const KIND: Kind<'static> = Kind::One(&[]);

    fn from_checked(_: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        unfit()
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Absent
    }
}

impl<K> FormValue for Select<K> where Unmarked<K>: KnownNow {}

impl<K: Send + 'static> Choice for Select<K>
where
    Unmarked<K>: KnownNow,
{
    const OPTIONS: &'static [Opt<'static>] = &[];

    fn from_index(_: usize) -> Option<Self> {
        None
    }

    fn as_str(&self) -> &'static str {
        ""
    }
}
