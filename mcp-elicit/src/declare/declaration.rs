//! All that is known of one type that can be asked, in one static.
//!
//! It is made by the derive from the type's table; what asks, checks and shows it reads it here.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use super::Elicit;
use super::invalid::Invalid;
#[cfg(feature = "http")]
use super::joined::{self, Part};
use super::json::{self, Mark, Shape};
use super::table::FormTable;

/// A type that can be asked: its key, message, table and texts.
///
/// ```
/// use mcp_elicit::Elicit;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct GuestName {
///     name: String,
/// }
///
/// let it = GuestName::declaration();
/// assert_eq!(it.key(), "guest_name");
/// assert_eq!(it.message(), "Who is it for?");
/// assert_eq!(
///     it.schema(),
///     r#"{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}"#
/// );
/// ```
pub struct Declaration {
    key: &'static str,
    message: &'static str,
    table: &'static FormTable<'static>,
    mode: Mode,
    schema: &'static str,
    request: &'static str,
    /// Where in the request the properties are.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only a server makes forms at run time")
    )]
    marks: &'static [Mark],
    guarded: bool,
    validate: fn(&str) -> Result<(), Invalid>,
    digest: OnceLock<[u8; 16]>,
}

/// Where a type is asked.
///
/// ```
/// use mcp_elicit::declare::{Fallback, Keep, Mode};
/// use mcp_elicit::prelude::*;
///
/// /// Your account.
/// #[derive(Elicit)]
/// #[elicit(url = "/ui/account", keep = "process", fallback = "address")]
/// struct Account {
///     #[secret]
///     key: SecretString,
/// }
///
/// let Mode::Page { name, keep, fallback, .. } = Account::declaration().mode() else {
///     unreachable!("it has a `url`");
/// };
/// assert_eq!((name, keep, fallback), ("account", Keep::Process, Fallback::Address));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// In a form of the client.
    Form,
    /// On a page of this server.
    #[non_exhaustive]
    Page {
        /// `set_api_key` of `/ui/set_api_key`.
        name: &'static str,
        /// How long the answer is kept.
        keep: Keep,
        /// What a client gets that cannot open links.
        fallback: Fallback,
    },
}

/// How long what was typed on a page is kept; see [`Mode`].
///
/// ```
/// assert_eq!(mcp_elicit::declare::Keep::default(), mcp_elicit::declare::Keep::UntilRemoved);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Keep {
    /// `"process"`: until this process ends.
    Process,
    /// `"8h"`, `"30m"`, `"7d"`: so long.
    For(Duration),
    /// `"until_removed"`: until the user, or the handler, removes it. So it is if nothing is said.
    #[default]
    UntilRemoved,
}

/// What a client gets that cannot open links; see [`Mode`].
///
/// ```
/// assert_eq!(mcp_elicit::declare::Fallback::default(), mcp_elicit::declare::Fallback::None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Fallback {
    /// The error that names the missing capability.
    #[default]
    None,
    /// `"address"`: the address of the page, as text for the user.
    Address,
}

impl Declaration {
    /// The declaration of a form. `request` and `marks` are of a [`Request`](super::json::Request) made of
    /// this very message and table.
    #[doc(hidden)]
    #[must_use]
    pub const fn form<T: Elicit>(
        key: &'static str,
        message: &'static str,
        table: &'static FormTable<'static>,
        request: &'static str,
        marks: &'static [Mark],
        guarded: bool,
    ) -> Self {
        Self {
            key,
            message,
            table,
            mode: Mode::Form,
            schema: json::schema_in(request, message),
            request,
            marks,
            guarded,
            validate: validate::<T>,
            digest: OnceLock::new(),
        }
    }

    /// The declaration of a page.
    #[doc(hidden)]
    #[must_use]
    pub const fn page<T: Elicit>(
        key: &'static str,
        message: &'static str,
        table: &'static FormTable<'static>,
        name: &'static str,
        keep: Keep,
        fallback: Fallback,
    ) -> Self {
        Self {
            key,
            message,
            table,
            mode: Mode::Page {
                name,
                keep,
                fallback,
            },
            schema: "",
            request: "",
            marks: &[],
            guarded: false,
            validate: validate::<T>,
            digest: OnceLock::new(),
        }
    }

    /// The name it has among the requests of one round: `billing_key` for a type `BillingKey`,
    /// unless `#[elicit(key = ..)]` names another.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// What the user reads: `#[elicit(message = ..)]`, else the type's doc comment.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        self.message
    }

    /// The fields.
    #[must_use]
    pub const fn table(&self) -> &'static FormTable<'static> {
        self.table
    }

    /// Where it is asked.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The text of `requestedSchema`; empty for a page, and for a form whose choices are known only at
    /// run time.
    #[must_use]
    pub const fn schema(&self) -> &'static str {
        if self.has_selects() { "" } else { self.schema }
    }

    /// The text of `requestedSchema`, without the lists of run time.
    #[cfg(feature = "http")]
    pub(crate) const fn open_schema(&self) -> &'static str {
        self.schema
    }

    /// The text of the whole `elicitation/create` request; empty where [`schema`](Self::schema) is.
    #[must_use]
    pub const fn request(&self) -> &'static str {
        if self.has_selects() { "" } else { self.request }
    }

    /// Whether an answer counts only in the round that shows the question was asked.
    #[must_use]
    pub const fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// Whether a field has choices that are known only at run time, see [`Select`](crate::Select).
    #[must_use]
    pub const fn has_selects(&self) -> bool {
        self.table.has_selects()
    }

    /// Whether a field takes several choices, which revision 2025-06-18 has no shape for.
    #[must_use]
    pub const fn has_arrays(&self) -> bool {
        self.table.has_arrays()
    }

    /// The schema in the shape of revision 2025-06-18, appended to `out`. `false`, and nothing is
    /// appended, if that revision has none for it, or its choices are known only at run time.
    ///
    /// ```
    /// # use mcp_elicit::Elicit;
    /// /// Ready?
    /// #[derive(Elicit)]
    /// struct Ready {
    ///     #[elicit(default = 3)]
    ///     rounds: u8,
    /// }
    /// let mut out = Vec::new();
    /// assert!(Ready::declaration().append_first_schema(&mut out));
    /// assert!(!String::from_utf8_lossy(&out).contains("default")); // only booleans had one
    /// ```
    #[must_use]
    pub fn append_first_schema(&self, out: &mut Vec<u8>) -> bool {
        let has_one = matches!(self.mode, Mode::Form) && !self.has_arrays() && !self.has_selects();
        if has_one {
            json::append_schema(out, self.table, Shape::First);
        }
        has_one
    }

    /// The request with another message, appended to `out`; nothing for a page, and for a form whose
    /// choices are known only at run time.
    ///
    /// ```
    /// # use mcp_elicit::Elicit;
    /// # /// Ready?
    /// # #[derive(Elicit)]
    /// # struct Ready { yes: bool }
    /// let mut out = Vec::new();
    /// Ready::declaration().append_request("Really \"ready\"?", &mut out);
    /// assert!(String::from_utf8_lossy(&out).contains(r#""message":"Really \"ready\"?","#));
    /// ```
    pub fn append_request(&self, message: &str, out: &mut Vec<u8>) {
        let schema = self.schema();
        if !schema.is_empty() {
            json::append_request(out, message, schema);
        }
    }

    /// The request with this message and a form of these parts of its fields, appended to `out`.
    #[cfg(feature = "http")]
    pub(crate) fn append_form<'p>(
        &self,
        message: &str,
        part: impl Fn(usize) -> Part<'p>,
        out: &mut Vec<u8>,
    ) {
        let parts = self.table.fields.iter().zip(self.marks).enumerate();
        joined::append(
            out,
            message,
            self.request,
            parts.map(|(i, (field, mark))| (field, mark, part(i))),
        );
    }

    /// Checks an answer as [`Elicit::decode`] does.
    ///
    /// # Errors
    ///
    /// One reason for each field that is wrong.
    ///
    /// ```
    /// # use mcp_elicit::Elicit;
    /// # /// Ready?
    /// # #[derive(Elicit)]
    /// # struct Ready { yes: bool }
    /// let wrong = Ready::declaration().validate(r#"{"yes":"maybe"}"#);
    /// assert_eq!(wrong.unwrap_err().to_string(), "yes: must be true or false");
    /// ```
    pub fn validate(&self, json: &str) -> Result<(), Invalid> {
        (self.validate)(json)
    }

    /// A digest of what is asked, made by `make` the first time.
    ///
    /// ```
    /// # use mcp_elicit::Elicit;
    /// # /// Ready?
    /// # #[derive(Elicit)]
    /// # struct Ready { yes: bool }
    /// let it = Ready::declaration();
    /// assert_eq!(it.digest(|it| [it.key().len() as u8; 16]), [5; 16]);
    /// assert_eq!(it.digest(|_| unreachable!("it is there")), [5; 16]);
    /// ```
    pub fn digest(&self, make: impl FnOnce(&Self) -> [u8; 16]) -> [u8; 16] {
        *self.digest.get_or_init(|| make(self))
    }
}

/// What stands where a derive reported an error, in code that will not be compiled.
#[doc(hidden)]
#[must_use]
pub fn after_error() -> &'static Declaration {
    const TABLE: &FormTable<'static> = &FormTable::new(&[]);
    static NONE: Declaration = Declaration {
        key: "",
        message: "",
        table: TABLE,
        mode: Mode::Form,
        schema: "",
        request: "",
        marks: &[],
        guarded: true,
        validate: |_| Err(Invalid::none()),
        digest: OnceLock::new(),
    };
    &NONE
}

fn validate<T: Elicit>(json: &str) -> Result<(), Invalid> {
    T::decode(json).map(drop)
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declaration")
            .field("key", &self.key)
            .field("message", &self.message)
            .field("mode", &self.mode)
            .field("guarded", &self.guarded)
            .finish_non_exhaustive()
    }
}
