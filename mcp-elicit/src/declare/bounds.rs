//! Bounds and defaults as the author wrote them, put into the table.
//!
//! It is lenient: what does not fit is left out. What is wrong about it is for `refuse` to say, so
//! that one mistake is one error.

use super::table::{DefaultValue, Field, Kind, Num};

/// A value of an attribute: a literal, or a constant of the author's.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Literal<'a> {
    /// `"text"`
    Text(&'a str),
    /// `3` or `MIN_SEATS`, with the same as a decimal.
    Whole(i128, Num<'a>),
    /// `0.5`
    Decimal(Num<'a>),
    /// `true`
    Boolean(bool),
    /// `["a", "b"]`
    List(&'a [&'a str]),
    /// A decimal that constant code cannot write as text.
    Unwritten,
}

impl<'a> Kind<'a> {
    /// With the least value.
    #[must_use]
    pub const fn with_min(self, literal: Literal<'a>) -> Self {
        match (self, literal) {
            (Self::Integer { max, .. }, Literal::Whole(min, _)) => Self::Integer {
                min: min as i64,
                max,
            },
            (Self::Number { max, .. }, Literal::Whole(_, min) | Literal::Decimal(min)) => {
                Self::Number {
                    min: Some(min),
                    max,
                }
            }
            _ => self,
        }
    }

    /// With the greatest value.
    #[must_use]
    pub const fn with_max(self, literal: Literal<'a>) -> Self {
        match (self, literal) {
            (Self::Integer { min, .. }, Literal::Whole(max, _)) => Self::Integer {
                min,
                max: max as i64,
            },
            (Self::Number { min, .. }, Literal::Whole(_, max) | Literal::Decimal(max)) => {
                Self::Number {
                    min,
                    max: Some(max),
                }
            }
            _ => self,
        }
    }

    /// With the fewest characters.
    #[must_use]
    pub const fn with_min_length(self, literal: Literal<'a>) -> Self {
        match self {
            Self::Text {
                max_length, format, ..
            } => Self::Text {
                min_length: count(literal),
                max_length,
                format,
            },
            other => other,
        }
    }

    /// With the most characters.
    #[must_use]
    pub const fn with_max_length(self, literal: Literal<'a>) -> Self {
        match self {
            Self::Text {
                min_length, format, ..
            } => Self::Text {
                min_length,
                max_length: count(literal),
                format,
            },
            other => other,
        }
    }

    /// With the format of this name.
    #[must_use]
    pub const fn with_format(self, format: super::table::Format) -> Self {
        match self {
            Self::Text {
                min_length,
                max_length,
                format: None,
            } => Self::Text {
                min_length,
                max_length,
                format: Some(format),
            },
            other => other,
        }
    }

    /// With the fewest choices.
    #[must_use]
    pub const fn with_min_items(self, literal: Literal<'a>) -> Self {
        match self {
            Self::Several {
                options, max_items, ..
            } => Self::Several {
                options,
                min_items: count(literal),
                max_items,
            },
            other => other,
        }
    }

    /// With the most choices.
    #[must_use]
    pub const fn with_max_items(self, literal: Literal<'a>) -> Self {
        match self {
            Self::Several {
                options, min_items, ..
            } => Self::Several {
                options,
                min_items,
                max_items: count(literal),
            },
            other => other,
        }
    }
}

impl<'a> Field<'a> {
    /// With this default, and so no longer required.
    #[must_use]
    pub const fn with_default(mut self, literal: Literal<'a>) -> Self {
        self.default = default_of(self.kind, literal);
        self.required = self.required && self.default.is_none();
        self
    }
}

/// A length or number of choices, if it is one.
pub(crate) const fn count(literal: Literal<'_>) -> Option<u32> {
    match literal {
        Literal::Whole(count, _) if 0 <= count && count <= u32::MAX as i128 => Some(count as u32),
        _ => None,
    }
}

/// A default, if this kind can have it.
pub(crate) const fn default_of<'a>(
    kind: Kind<'a>,
    literal: Literal<'a>,
) -> Option<DefaultValue<'a>> {
    match (kind, literal) {
        (Kind::Text { .. } | Kind::One(_), Literal::Text(text)) => Some(DefaultValue::Text(text)),
        (Kind::Integer { .. }, Literal::Whole(value, _)) => {
            Some(DefaultValue::Integer(value as i64))
        }
        (Kind::Number { .. }, Literal::Whole(_, value) | Literal::Decimal(value)) => {
            Some(DefaultValue::Number(value))
        }
        (Kind::Boolean, Literal::Boolean(value)) => Some(DefaultValue::Boolean(value)),
        (Kind::Several { .. }, Literal::List(values)) => Some(DefaultValue::Several(values)),
        _ => None,
    }
}

/// How many characters a text has.
pub(crate) const fn chars(text: &str) -> u32 {
    let mut rest = text.as_bytes();
    let mut len = 0;
    while let [byte, after @ ..] = rest {
        if *byte & 0xc0 != 0x80 {
            len += 1;
        }
        rest = after;
    }
    len
}

/// Where among the options the one of this wire name stands.
pub(crate) const fn position(options: &[super::table::Opt<'_>], value: &str) -> Option<usize> {
    let mut rest = options;
    while let [option, after @ ..] = rest {
        if is(option.value, value) {
            return Some(options.len() - rest.len());
        }
        rest = after;
    }
    None
}

/// Whether a list has this value.
pub(crate) const fn contains(values: &[&str], value: &str) -> bool {
    let mut rest = values;
    while let [it, after @ ..] = rest {
        if is(it, value) {
            return true;
        }
        rest = after;
    }
    false
}

const fn is(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (a_rest, b_rest);
    }
    a.is_empty() && b.is_empty()
}
