//! What a form is, as const data: one table per type, read by everything else.
//!
//! The JSON text, the check of an answer, the HTML page and the shape for older revisions all come
//! from it. It knows nothing of them. The lifetime lets a copy read from a store be viewed as the
//! very same type.

/// The fields of a form or page, in the order they are shown.
///
/// ```
/// use mcp_elicit::Elicit;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct Guest {
///     name: String,
///     age: Option<u8>,
/// }
///
/// let table = Guest::declaration().table();
/// let names: Vec<_> = table.fields.iter().map(|f| f.name).collect();
/// assert_eq!(names, ["name", "age"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FormTable<'a> {
    /// The fields.
    pub fields: &'a [Field<'a>],
}

impl<'a> FormTable<'a> {
    /// A table of these fields.
    #[must_use]
    pub const fn new(fields: &'a [Field<'a>]) -> Self {
        Self { fields }
    }

    /// Whether a field has choices that are known only at run time.
    #[must_use]
    pub const fn has_selects(&self) -> bool {
        let mut rest = self.fields;
        while let [field, after @ ..] = rest {
            if field.select {
                return true;
            }
            rest = after;
        }
        false
    }

    /// Whether a field takes several choices, which revision 2025-06-18 has no shape for.
    #[must_use]
    pub const fn has_arrays(&self) -> bool {
        let mut rest = self.fields;
        while let [field, after @ ..] = rest {
            if matches!(field.kind, Kind::Several { .. }) {
                return true;
            }
            rest = after;
        }
        false
    }
}

/// One field.
///
/// ```
/// use mcp_elicit::declare::{Field, Kind};
///
/// let field = Field::new("window", "Window", "By the window?", Kind::Boolean, true);
/// assert!(field.required && field.default.is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Field<'a> {
    /// Its name on the wire.
    pub name: &'a str,
    /// The label a person reads.
    pub title: &'a str,
    /// What stands beside the label; empty if there is nothing.
    pub description: &'a str,
    /// What it takes, with its bounds.
    pub kind: Kind<'a>,
    /// What an answer that leaves it out means.
    pub default: Option<DefaultValue<'a>>,
    /// Whether an answer must have it.
    pub required: bool,
    /// Whether the titles of one choice stand in `enumNames`, the deprecated shape of the schema.
    pub enum_names: bool,
    /// Whether its choices are known only at run time, so that here the list is empty.
    pub select: bool,
}

impl<'a> Field<'a> {
    /// A field without a default.
    #[must_use]
    pub const fn new(
        name: &'a str,
        title: &'a str,
        description: &'a str,
        kind: Kind<'a>,
        required: bool,
    ) -> Self {
        Self {
            name,
            title,
            description,
            kind,
            default: None,
            required,
            enum_names: false,
            select: false,
        }
    }

    /// With choices that are known only at run time.
    #[must_use]
    pub const fn with_select(mut self) -> Self {
        self.select = true;
        self
    }

    /// With its titles in `enumNames`.
    #[must_use]
    pub const fn with_enum_names(mut self) -> Self {
        self.enum_names = true;
        self
    }
}

/// What a field takes.
///
/// ```
/// use mcp_elicit::declare::{FormField, Kind};
///
/// assert_eq!(<u8 as FormField>::KIND, Kind::Integer { min: 0, max: 255 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Kind<'a> {
    /// A text. Lengths count characters.
    Text {
        /// The fewest characters.
        min_length: Option<u32>,
        /// The most characters.
        max_length: Option<u32>,
        /// The form it must have.
        format: Option<Format>,
    },
    /// A whole number. The bounds never leave what a JSON client keeps exactly.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// Any number.
    Number {
        /// The least value.
        min: Option<Num<'a>>,
        /// The greatest value.
        max: Option<Num<'a>>,
    },
    /// Yes or no.
    Boolean,
    /// One of these.
    One(&'a [Opt<'a>]),
    /// Any of these, none twice.
    Several {
        /// What there is to choose from.
        options: &'a [Opt<'a>],
        /// The fewest that must be chosen.
        min_items: Option<u32>,
        /// The most that may be chosen.
        max_items: Option<u32>,
    },
    /// A secret, which only a page of this server may ask for.
    Secret {
        /// Whether it may have line ends, such as a key file.
        multiline: bool,
    },
}

/// A number with its text, since const code cannot write floats.
///
/// ```
/// use mcp_elicit::declare::Num;
///
/// const HALF: Num<'static> = Num::new(0.5, "0.5");
/// assert_eq!(HALF.value.to_string(), HALF.text);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Num<'a> {
    /// Its value.
    pub value: f64,
    /// The same as JSON text.
    pub text: &'a str,
}

impl<'a> Num<'a> {
    /// A number and its JSON text.
    #[must_use]
    pub const fn new(value: f64, text: &'a str) -> Self {
        Self { value, text }
    }
}

/// One choice.
///
/// ```
/// use mcp_elicit::declare::Opt;
///
/// let it = Opt::new("free", Some("Free, one project"));
/// assert_eq!(it.title, Some("Free, one project"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opt<'a> {
    /// Its name on the wire.
    pub value: &'a str,
    /// The label a person reads, if it is not the value itself. Of one list, all or none have one.
    pub title: Option<&'a str>,
}

impl<'a> Opt<'a> {
    /// A choice.
    #[must_use]
    pub const fn new(value: &'a str, title: Option<&'a str>) -> Self {
        Self { value, title }
    }
}

/// The form a text must have; the specification knows these four.
///
/// ```
/// use mcp_elicit::declare::Format;
///
/// assert_eq!(Format::DateTime.as_str(), "date-time");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// An email address.
    Email,
    /// An absolute URI.
    Uri,
    /// A date such as `2025-04-17`.
    Date,
    /// A time with its offset, such as `2025-04-17T12:00:00Z`.
    DateTime,
}

impl Format {
    /// Its name in a schema.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }
}

/// What an answer that leaves a field out means.
///
/// ```
/// use mcp_elicit::Elicit;
/// use mcp_elicit::declare::DefaultValue;
///
/// /// How many?
/// #[derive(Elicit)]
/// struct Seats {
///     #[elicit(default = 2)]
///     seats: u8,
/// }
///
/// let field = Seats::declaration().table().fields[0];
/// assert_eq!(field.default, Some(DefaultValue::Integer(2)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DefaultValue<'a> {
    /// A text, or the wire name of a choice.
    Text(&'a str),
    /// A whole number.
    Integer(i64),
    /// Any number.
    Number(Num<'a>),
    /// Yes or no.
    Boolean(bool),
    /// The wire names of several choices.
    Several(&'a [&'a str]),
}
