//! Enums as one or several choices.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::answer::Checked;
use super::bounds::position;
use super::field::{FormField, FormValue, unfit};
use super::table::{Kind, Opt};

/// An enum of unit variants, asked as a list to choose from; made by `#[derive(Choice)]`.
///
/// ```
/// use mcp_elicit::Choice;
///
/// #[derive(Choice, Debug, PartialEq)]
/// enum Plan {
///     #[choice(title = "Free, one project")]
///     Free,
///     ProPlus,
/// }
///
/// assert_eq!(Plan::ProPlus.as_str(), "pro_plus");
/// assert_eq!(Plan::OPTIONS[0].title, Some("Free, one project"));
/// assert_eq!(Plan::from_index(0), Some(Plan::Free));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Choice`: a list in an elicitation form holds choices of a fixed list [elicit::3]",
    label = "not a `#[derive(Choice)]` enum",
    note = "write an enum of the possible values with `#[derive(Choice)]`; free text is one `String`, to be split by the server"
)]
pub trait Choice: FormField + Send + 'static {
    /// What there is to choose from, in order.
    const OPTIONS: &'static [Opt<'static>];

    /// The choice at this place in [`OPTIONS`](Self::OPTIONS).
    fn from_index(index: usize) -> Option<Self>;

    /// Its name on the wire.
    fn as_str(&self) -> &'static str;
}

/// What `#[derive(Choice)]` needs of [`FormField`].
#[doc(hidden)]
pub fn one<C: Choice>(value: Checked<'_>) -> Result<C, Cow<'static, str>> {
    match value {
        Checked::One(index) => C::from_index(index).map_or_else(unfit, Ok),
        _ => unfit(),
    }
}

/// The way back, for the same.
#[doc(hidden)]
pub fn chosen<C: Choice>(choice: &C) -> Checked<'static> {
    place(choice).map_or(Checked::Absent, Checked::One)
}

fn place<C: Choice>(choice: &C) -> Option<usize> {
    position(C::OPTIONS, choice.as_str())
}

impl<C: Choice> FormField for Vec<C> {
    const KIND: Kind<'static> = several::<C>();

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        collect(value)
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Several(self.iter().filter_map(place).collect())
    }
}

impl<C: Choice + Ord> FormField for BTreeSet<C> {
    const KIND: Kind<'static> = several::<C>();

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        collect(value)
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Several(self.iter().filter_map(place).collect())
    }
}

impl<C: Choice> FormValue for Vec<C> {}
impl<C: Choice + Ord> FormValue for BTreeSet<C> {}

const fn several<C: Choice>() -> Kind<'static> {
    Kind::Several {
        options: C::OPTIONS,
        min_items: None,
        max_items: None,
    }
}

fn collect<C: Choice, L: FromIterator<C>>(value: Checked<'_>) -> Result<L, Cow<'static, str>> {
    match value {
        Checked::Several(indexes) => Ok(indexes.into_iter().filter_map(C::from_index).collect()),
        _ => unfit(),
    }
}
