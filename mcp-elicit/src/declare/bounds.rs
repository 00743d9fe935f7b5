//! Bounds and defaults as the author wrote them, and what the compiler refuses about them.
//!
//! The table takes them leniently; the checks here, each in a constant of its own at the author's
//! token, say what is wrong. So one mistake is one error.

use super::table::{DefaultValue, Field, Kind, Num};

/// A value of an attribute: a literal, or a constant of the author's.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Literal<'a> {
    /// `"text"`
    Text(&'a str),
    /// `3`, with the same as a decimal.
    Whole(i128, Num<'a>),
    /// `0.5`
    Decimal(Num<'a>),
    /// `true`
    Boolean(bool),
    /// `["a", "b"]`
    List(&'a [&'a str]),
    /// `MIN_SEATS`
    Constant(i128),
}

/// What a constant in an attribute may be. Texts and decimals stand there as literals: constant
/// code can turn neither into JSON text.
#[diagnostic::on_unimplemented(
    message = "a constant of type `{Self}` cannot stand here; write a literal, or name a constant that is a whole number or a `bool` [elicit::6]",
    label = "neither a whole number nor a `bool`",
    note = "decimals and texts are literals: `0.5`, `\"text\"`; a default choice is its wire name in quotes"
)]
pub trait Constant: Sized {}

macro_rules! constants {
    ($($ty:ty),*) => { $(impl Constant for $ty {})* };
}
constants!(
    bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, i128, u128
);

/// The constant itself, if it may stand in an attribute.
#[must_use]
pub const fn constant<T: Constant>(value: T) -> T {
    value
}

impl<'a> Kind<'a> {
    /// With the least value.
    #[must_use]
    pub const fn with_min(self, literal: Literal<'a>) -> Self {
        match (self, literal) {
            (Self::Integer { max, .. }, Literal::Whole(min, _) | Literal::Constant(min)) => {
                Self::Integer {
                    min: min as i64,
                    max,
                }
            }
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
            (Self::Integer { min, .. }, Literal::Whole(max, _) | Literal::Constant(max)) => {
                Self::Integer {
                    min,
                    max: max as i64,
                }
            }
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

const fn count(literal: Literal<'_>) -> Option<u32> {
    match literal {
        Literal::Whole(count, _) | Literal::Constant(count)
            if 0 <= count && count <= u32::MAX as i128 =>
        {
            Some(count as u32)
        }
        _ => None,
    }
}

const fn default_of<'a>(kind: Kind<'a>, literal: Literal<'a>) -> Option<DefaultValue<'a>> {
    match (kind, literal) {
        (Kind::Text { .. } | Kind::One(_), Literal::Text(text)) => Some(DefaultValue::Text(text)),
        (Kind::Integer { .. }, Literal::Whole(value, _) | Literal::Constant(value)) => {
            Some(DefaultValue::Integer(value as i64))
        }
        (Kind::Number { .. }, Literal::Whole(_, value) | Literal::Decimal(value)) => {
            Some(DefaultValue::Number(value))
        }
        (Kind::Boolean, Literal::Boolean(value)) => Some(DefaultValue::Boolean(value)),
        (Kind::Boolean, Literal::Constant(value)) => Some(DefaultValue::Boolean(value != 0)),
        (Kind::Several { .. }, Literal::List(values)) => Some(DefaultValue::Several(values)),
        _ => None,
    }
}

/// Refuses a `min` or `max` that the type cannot hold.
#[track_caller]
pub const fn check_bound(kind: Kind<'_>, literal: Literal<'_>) {
    match (kind, literal) {
        (Kind::Integer { min, max }, Literal::Whole(value, _) | Literal::Constant(value)) => {
            if value < min as i128 || value > max as i128 {
                panic!("this bound is outside of what the field's type can hold [elicit::6]");
            }
        }
        (Kind::Integer { .. }, _) => {
            panic!("the bound of a whole number is a whole number [elicit::6]")
        }
        (Kind::Number { .. }, Literal::Whole(..) | Literal::Decimal(_)) => {}
        (Kind::Number { .. }, _) => {
            panic!("the bound of a decimal is a literal such as `0.5` [elicit::6]")
        }
        (Kind::Text { .. }, _) => panic!(
            "`min` and `max` are for numbers; the length of a text is `min_length` and `max_length` [elicit::6]"
        ),
        (Kind::Several { .. }, _) => panic!(
            "`min` and `max` are for numbers; the number of choices is `min_items` and `max_items` [elicit::6]"
        ),
        _ => panic!("`min` and `max` are for numbers [elicit::6]"),
    }
}

/// Refuses a `min` above its `max`.
#[track_caller]
pub const fn check_order(min: Literal<'_>, max: Literal<'_>) {
    let crossed = match (min, max) {
        (
            Literal::Whole(min, _) | Literal::Constant(min),
            Literal::Whole(max, _) | Literal::Constant(max),
        ) => min > max,
        (
            Literal::Whole(_, min) | Literal::Decimal(min),
            Literal::Whole(_, max) | Literal::Decimal(max),
        ) => min.value > max.value,
        _ => false,
    };
    if crossed {
        panic!("this upper bound is below the lower one; swap them [elicit::6]");
    }
}

/// Refuses `min_length` and `max_length` on what is no text, and lengths that are none.
#[track_caller]
pub const fn check_length(kind: Kind<'_>, literal: Literal<'_>) {
    match kind {
        Kind::Text { format: None, .. } => {}
        Kind::Text { .. } => {
            panic!("the format of this type fixes its length; remove the bound [elicit::6]")
        }
        Kind::Integer { .. } | Kind::Number { .. } => panic!(
            "`min_length` and `max_length` are for texts; a number has `min` and `max` [elicit::6]"
        ),
        Kind::Several { .. } => panic!(
            "`min_length` and `max_length` are for texts; several choices have `min_items` and `max_items` [elicit::6]"
        ),
        _ => panic!("`min_length` and `max_length` are for texts [elicit::6]"),
    }
    if count(literal).is_none() {
        panic!("a length is a whole number from 0 to 4294967295 [elicit::6]");
    }
}

/// Refuses a `format` on what is no text, or has one already.
#[track_caller]
pub const fn check_format(kind: Kind<'_>) {
    match kind {
        Kind::Text { format: None, .. } => {}
        Kind::Text { .. } => {
            panic!("this type has its format already; remove `format` [elicit::6]")
        }
        _ => panic!("`format` is for a text, such as a `String` [elicit::6]"),
    }
}

/// Refuses `min_items` and `max_items` on what is not several choices, or that none can meet.
#[track_caller]
pub const fn check_items(kind: Kind<'_>, literal: Literal<'_>, least: bool) {
    let Kind::Several { options, .. } = kind else {
        panic!(
            "`min_items` and `max_items` are for several choices, such as a `Vec` of a `Choice` [elicit::6]"
        );
    };
    match count(literal) {
        None => panic!("a number of choices is a whole number, not below 0 [elicit::6]"),
        Some(count) if count as usize > options.len() => {
            panic!("there are fewer choices than that [elicit::6]")
        }
        Some(0) if !least => panic!("with `max_items = 0` nothing can be chosen [elicit::6]"),
        Some(_) => {}
    }
}

/// Refuses a default of the wrong kind, out of bounds, or that is not a choice. `kind` has the
/// field's own bounds.
#[track_caller]
pub const fn check_default(kind: Kind<'_>, literal: Literal<'_>) {
    let Some(default) = default_of(kind, literal) else {
        match kind {
            Kind::Text { .. } => panic!("the default of a text is a text: `\"..\"` [elicit::6]"),
            Kind::Integer { .. } => {
                panic!("the default of a whole number is a whole number [elicit::6]")
            }
            Kind::Number { .. } => {
                panic!("the default of a decimal is a literal such as `0.5` [elicit::6]")
            }
            Kind::Boolean => panic!("the default of a `bool` is `true` or `false` [elicit::6]"),
            Kind::One(_) => {
                panic!("the default of a choice is its wire name in quotes: `\"..\"` [elicit::6]")
            }
            Kind::Several { .. } => panic!(
                "the default of several choices is a list of wire names: `[\"..\"]` [elicit::6]"
            ),
            Kind::Secret { .. } => panic!("a secret has no default [elicit::6]"),
        }
    };
    match (kind, default, literal) {
        (Kind::Integer { min, max }, _, Literal::Whole(value, _) | Literal::Constant(value)) => {
            if value < min as i128 || value > max as i128 {
                panic!("this default is out of the field's bounds [elicit::6]");
            }
        }
        (Kind::Number { min, max }, DefaultValue::Number(value), _) => {
            if matches!(min, Some(min) if value.value < min.value)
                || matches!(max, Some(max) if value.value > max.value)
            {
                panic!("this default is out of the field's bounds [elicit::6]");
            }
        }
        (
            Kind::Text {
                min_length,
                max_length,
                format,
            },
            DefaultValue::Text(text),
            _,
        ) => {
            let len = chars(text);
            if matches!(min_length, Some(min) if len < min)
                || matches!(max_length, Some(max) if len > max)
            {
                panic!("the length of this default is out of the field's bounds [elicit::6]");
            }
            if matches!(format, Some(format) if !format.fits(text)) {
                panic!("this default does not have the field's format [elicit::6]");
            }
        }
        (Kind::One(options), DefaultValue::Text(text), _) => {
            if position(options, text).is_none() {
                panic!("this default is not one of the choices' wire names [elicit::6]");
            }
        }
        (
            Kind::Several {
                options,
                min_items,
                max_items,
            },
            DefaultValue::Several(values),
            _,
        ) => {
            let len = values.len();
            if matches!(min_items, Some(min) if len < min as usize)
                || matches!(max_items, Some(max) if len > max as usize)
            {
                panic!("this default has too few or too many choices [elicit::6]");
            }
            let mut rest = values;
            while let [value, after @ ..] = rest {
                if position(options, value).is_none() {
                    panic!(
                        "this default holds what is not one of the choices' wire names [elicit::6]"
                    );
                }
                if contains(after, value) {
                    panic!("this default names a choice twice [elicit::6]");
                }
                rest = after;
            }
        }
        _ => {}
    }
}

/// Refuses a text or number whose name reads like a credential. The message names it.
#[track_caller]
pub const fn check_name(kind: Kind<'_>, message: &str) {
    if matches!(kind, Kind::Text { .. } | Kind::Integer { .. }) {
        panic!("{}", message);
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

const fn contains(values: &[&str], value: &str) -> bool {
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
