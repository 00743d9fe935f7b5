//! What a handler says that it asks: types that a user is asked for, and what is asked of the client itself.

use crate::declare::{Declaration, Elicit};
use crate::wire::message::Capabilities;

/// What can stand in `asks(..)` of a tool, prompt or resource: every [`Elicit`] type, and [`Sampling`],
/// [`SamplingTools`] and [`Roots`].
///
/// ```
/// use mcp_elicit::client::Sampling;
/// use mcp_elicit::{InAsks, Need};
///
/// assert_eq!(Sampling::need().key(), "sample");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked for [elicit::4]",
    label = "is not a form or page",
    note = "what is asked is always a struct of named fields with `#[derive(Elicit)]`",
    note = "what is asked of the client itself is named by `Sampling`, `SamplingTools` and `Roots` of `mcp_elicit::client`"
)]
pub trait InAsks {
    /// What is to be asked.
    fn need() -> Need;
}

#[diagnostic::do_not_recommend]
impl<T: Elicit> InAsks for T {
    fn need() -> Need {
        T::declaration().into()
    }
}

/// One thing that is to be asked. Made by [`InAsks`], or of a [`Declaration`].
#[derive(Debug, Clone, Copy)]
pub struct Need(Kind);

#[derive(Debug, Clone, Copy)]
enum Kind {
    User(&'static Declaration),
    Client(&'static str, Capabilities),
}

impl Need {
    /// The key under which it is asked, if nothing else is said.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self.0 {
            Kind::User(declaration) => declaration.key(),
            Kind::Client(key, _) => key,
        }
    }

    /// What the user is asked for.
    pub(crate) const fn declaration(&self) -> Option<&'static Declaration> {
        match self.0 {
            Kind::User(declaration) => Some(declaration),
            Kind::Client(..) => None,
        }
    }

    /// What the client must have declared, where it is asked of the client itself.
    pub(crate) const fn of_client(&self) -> Capabilities {
        match self.0 {
            Kind::User(_) => NOTHING,
            Kind::Client(_, needed) => needed,
        }
    }
}

impl From<&'static Declaration> for Need {
    fn from(declaration: &'static Declaration) -> Self {
        Self(Kind::User(declaration))
    }
}

/// In `asks(..)`: the client's model is asked, by [`Cx::sample`](crate::Cx::sample).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Sampling;

/// In `asks(..)`: the client's model is asked and may use tools. [`Sampling`] need not stand beside it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SamplingTools;

/// In `asks(..)`: the client's roots are asked for, by [`Cx::roots`](crate::Cx::roots).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Roots;

/// What each of them needs.
pub(super) const SAMPLING: Capabilities = Capabilities {
    sampling: true,
    ..NOTHING
};
pub(super) const SAMPLING_TOOLS: Capabilities = Capabilities {
    sampling_tools: true,
    ..SAMPLING
};
pub(super) const ROOTS: Capabilities = Capabilities {
    roots: true,
    ..NOTHING
};
const NOTHING: Capabilities = Capabilities {
    form: false,
    url: false,
    sampling: false,
    sampling_tools: false,
    roots: false,
};

/// The keys that stand for them.
pub(super) const SAMPLE_KEY: &str = "sample";
pub(super) const ROOTS_KEY: &str = "roots";

#[diagnostic::do_not_recommend]
impl InAsks for Sampling {
    fn need() -> Need {
        Need(Kind::Client(SAMPLE_KEY, SAMPLING))
    }
}

#[diagnostic::do_not_recommend]
impl InAsks for SamplingTools {
    fn need() -> Need {
        Need(Kind::Client(SAMPLE_KEY, SAMPLING_TOOLS))
    }
}

#[diagnostic::do_not_recommend]
impl InAsks for Roots {
    fn need() -> Need {
        Need(Kind::Client(ROOTS_KEY, ROOTS))
    }
}
