//! Every word of the attributes, and the numbers of the rules, once.
//!
//! Parsing, messages and lists of known options all take their words from here. It uses nothing
//! and decides nothing.

/// The attribute of a form, a page and their fields.
pub(crate) const ELICIT: &str = "elicit";
/// The attribute of a choice and its variants.
pub(crate) const CHOICE: &str = "choice";
/// The attribute of a field that holds a secret.
pub(crate) const SECRET: &str = "secret";
/// The attribute of a field whose choices are known only at run time.
pub(crate) const SELECT: &str = "select";

pub(crate) const CHECK: &str = "check";
pub(crate) const CRATE: &str = "crate";
pub(crate) const DEFAULT: &str = "default";
pub(crate) const DESCRIPTION: &str = "description";
pub(crate) const ENUM_NAMES: &str = "enum_names";
pub(crate) const FALLBACK: &str = "fallback";
pub(crate) const FORMAT: &str = "format";
pub(crate) const GUARDED: &str = "guarded";
pub(crate) const KEEP: &str = "keep";
pub(crate) const KEY: &str = "key";
pub(crate) const MAX: &str = "max";
pub(crate) const MAX_ITEMS: &str = "max_items";
pub(crate) const MAX_LENGTH: &str = "max_length";
pub(crate) const MESSAGE: &str = "message";
pub(crate) const MIN: &str = "min";
pub(crate) const MIN_ITEMS: &str = "min_items";
pub(crate) const MIN_LENGTH: &str = "min_length";
pub(crate) const MULTILINE: &str = "multiline";
pub(crate) const NOT_SECRET: &str = "not_secret";
pub(crate) const RENAME: &str = "rename";
pub(crate) const RENAME_ALL: &str = "rename_all";
pub(crate) const TITLE: &str = "title";
pub(crate) const TRANSPARENT: &str = "transparent";
pub(crate) const URL: &str = "url";

/// What `#[elicit(..)]` on a struct knows.
pub(crate) const FORM_OPTIONS: &[&str] = &[
    MESSAGE,
    KEY,
    CHECK,
    GUARDED,
    RENAME_ALL,
    URL,
    KEEP,
    FALLBACK,
    CRATE,
    TRANSPARENT,
];
/// What `#[elicit(..)]` on a field knows.
pub(crate) const FIELD_OPTIONS: &[&str] = &[
    TITLE,
    DESCRIPTION,
    RENAME,
    DEFAULT,
    MIN,
    MAX,
    MIN_LENGTH,
    MAX_LENGTH,
    FORMAT,
    MIN_ITEMS,
    MAX_ITEMS,
    ENUM_NAMES,
    NOT_SECRET,
];
/// What `#[secret(..)]` knows.
pub(crate) const SECRET_OPTIONS: &[&str] = &[MULTILINE];
/// What `#[choice(..)]` on an enum knows.
pub(crate) const CHOICE_OPTIONS: &[&str] = &[RENAME_ALL, CRATE];
/// What `#[choice(..)]` on a variant knows.
pub(crate) const VARIANT_OPTIONS: &[&str] = &[TITLE, RENAME];

/// The attribute of a tool.
pub(crate) const TOOL: &str = "tool";
/// The attribute of a prompt.
pub(crate) const PROMPT: &str = "prompt";
/// The attribute of a resource.
pub(crate) const RESOURCE: &str = "resource";
/// The attribute of a parameter.
pub(crate) const ARG: &str = "arg";

pub(crate) const ASKS: &str = "asks";
pub(crate) const COMPLETE: &str = "complete";
pub(crate) const DESTRUCTIVE: &str = "destructive";
pub(crate) const HEADER: &str = "header";
pub(crate) const ICON: &str = "icon";
pub(crate) const IDEMPOTENT: &str = "idempotent";
pub(crate) const INPUT_SCHEMA: &str = "input_schema";
pub(crate) const MIME: &str = "mime";
pub(crate) const NAME: &str = "name";
pub(crate) const ONLY_IF: &str = "only_if";
pub(crate) const OPEN_WORLD: &str = "open_world";
pub(crate) const OUTPUT_SCHEMA: &str = "output_schema";
pub(crate) const READ_ONLY: &str = "read_only";
pub(crate) const REV: &str = "rev";
pub(crate) const SHARED: &str = "shared";
pub(crate) const SINGLE_USE: &str = "single_use";
pub(crate) const TTL: &str = "ttl";

/// What `#[tool(..)]` knows.
pub(crate) const TOOL_OPTIONS: &[&str] = &[
    NAME,
    TITLE,
    DESCRIPTION,
    READ_ONLY,
    DESTRUCTIVE,
    IDEMPOTENT,
    OPEN_WORLD,
    ICON,
    ONLY_IF,
    INPUT_SCHEMA,
    OUTPUT_SCHEMA,
    ASKS,
    SINGLE_USE,
    REV,
    CRATE,
];
/// What `#[prompt(..)]` knows.
pub(crate) const PROMPT_OPTIONS: &[&str] = &[
    NAME,
    TITLE,
    DESCRIPTION,
    ICON,
    ONLY_IF,
    ASKS,
    SINGLE_USE,
    REV,
    CRATE,
];
/// What `#[resource(..)]` knows, after the URI.
pub(crate) const RESOURCE_OPTIONS: &[&str] = &[
    NAME,
    TITLE,
    DESCRIPTION,
    MIME,
    ICON,
    ONLY_IF,
    TTL,
    SHARED,
    ASKS,
    SINGLE_USE,
    REV,
    CRATE,
];
/// What `#[tools(..)]` knows.
pub(crate) const TOOLS_OPTIONS: &[&str] = &[CRATE];
/// What `#[arg(..)]` knows.
pub(crate) const ARG_OPTIONS: &[&str] = &[RENAME, DEFAULT, DESCRIPTION, HEADER];
/// What it knows of a prompt or resource.
pub(crate) const TEXT_OPTIONS: &[&str] = &[RENAME, TITLE, DEFAULT, DESCRIPTION, COMPLETE];

/// The formats a text can have in a form.
pub(crate) const FORMATS: &[&str] = &["email", "uri", "date", "date-time"];

/// Words other schema tools know and a form has not.
pub(crate) const FOREIGN: &[&str] = &[
    "pattern",
    "regex",
    "gt",
    "lt",
    "ge",
    "le",
    "exclusive_min",
    "exclusive_max",
    "exclusive_minimum",
    "exclusive_maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multiple_of",
    "step",
    "unique_items",
    "nullable",
    "read_only",
    "write_only",
    "const",
    "content_encoding",
    "examples",
];

/// A rule of the list in `docs/errors.md`; its number ends each message.
#[derive(Clone, Copy)]
pub(crate) struct Rule(pub(crate) u8);

impl Rule {
    /// Secrets are typed on a page, never in a form.
    pub(crate) const SECRETS: Self = Self(1);
    /// Names that read like credentials.
    pub(crate) const NAMES: Self = Self(2);
    /// Types a form cannot have.
    pub(crate) const TYPES: Self = Self(3);
    /// Items that are not forms.
    pub(crate) const SHAPE: Self = Self(4);
    /// Keywords the protocol does not have.
    pub(crate) const KEYWORDS: Self = Self(5);
    /// Bounds and defaults.
    pub(crate) const BOUNDS: Self = Self(6);
    /// Options and wire names.
    pub(crate) const OPTIONS: Self = Self(7);
    /// Links in the texts of a form.
    pub(crate) const LINKS: Self = Self(8);
    /// The address of a page.
    pub(crate) const PAGES: Self = Self(9);
    /// The message of a form or page.
    pub(crate) const MESSAGE: Self = Self(10);
    /// Tools and their parameters.
    pub(crate) const TOOLS: Self = Self(11);
}
