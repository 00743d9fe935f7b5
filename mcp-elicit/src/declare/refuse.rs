//! What the compiler refuses about bounds, defaults and names, where only the type can tell.
//!
//! The derive calls each check in a constant of its own, at the author's token; it panics there, at
//! compile time, with what to write instead.

#![expect(
    clippy::panic,
    reason = "run by the compiler alone: a panic there is how a constant is refused"
)]

use super::bounds::{Literal, chars, contains, count, default_of, position};
use super::phrase::Phrase;
use super::table::{DefaultValue, Kind, Opt};

/// Refuses a `min` or `max` that the type cannot hold.
#[track_caller]
pub const fn check_bound(kind: Kind<'_>, literal: Literal<'_>) {
    match (kind, literal) {
        (Kind::Integer { min, max }, Literal::Whole(value, _)) => {
            if value < min as i128 || value > max as i128 {
                panic!("{}", outside(min, max).as_str());
            }
        }
        (Kind::Integer { .. }, _) => {
            panic!("the bound of a whole number is a whole number [elicit::6]")
        }
        (Kind::Number { .. }, Literal::Whole(..) | Literal::Decimal(_)) => {}
        (Kind::Number { .. }, Literal::Unwritten) => panic!("{}", UNWRITTEN),
        (Kind::Number { .. }, _) => {
            panic!("the bound of a decimal is a number, such as `0.5` [elicit::6]")
        }
        (Kind::Text { .. }, _) => panic!(
            "`min` and `max` are for numbers; the length of a text is `min_length` and `max_length` [elicit::6]"
        ),
        (Kind::Several { .. }, _) => panic!(
            "`min` and `max` are for numbers; the number of choices is `min_items` and `max_items` [elicit::6]"
        ),
        _ => panic!("`min` and `max` are for numbers; remove it [elicit::6]"),
    }
}

/// What to say of a decimal constant that is infinite, no number, or has too many digits.
const UNWRITTEN: &str =
    "constant code cannot put this decimal into the form; write it out: `0.5` [elicit::6]";

/// What to say of a bound that a type of this range cannot hold.
const fn outside(min: i64, max: i64) -> Phrase {
    Phrase::new("this bound is outside of what the field's type can hold, ")
        .text(range(min, max).as_str())
        .text(" [elicit::6]")
}

/// `0 to 255`
const fn range(min: i64, max: i64) -> Phrase {
    const TOP: i64 = super::primitives::EXACT;
    match (min, max) {
        (0 | 1, TOP) => Phrase::new("")
            .number(min as i128)
            .text(" to 2^53 - 1, the last that JSON clients keep exactly"),
        (_, TOP) if min == -TOP => {
            Phrase::new("-(2^53 - 1) to 2^53 - 1, the last that JSON clients keep exactly")
        }
        _ => Phrase::new("")
            .number(min as i128)
            .text(" to ")
            .number(max as i128),
    }
}

/// Refuses a `min` above its `max`.
#[track_caller]
pub const fn check_order(min: Literal<'_>, max: Literal<'_>) {
    let crossed = match (min, max) {
        (Literal::Whole(min, _), Literal::Whole(max, _)) => min > max,
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

/// Refuses `enum_names` on what is not one choice, or has no names to show.
#[track_caller]
pub const fn check_enum_names(kind: Kind<'_>) {
    match kind {
        Kind::One([Opt { title: Some(_), .. }, ..]) => {}
        Kind::One(_) => panic!(
            "`enum_names` are the titles of the choices, and these have none: give the variants titles, or remove it [elicit::7]"
        ),
        Kind::Several { .. } => panic!(
            "`enum_names` is for one choice: a list has no such shape; remove it [elicit::7]"
        ),
        _ => {
            panic!("`enum_names` is for one choice, such as a `#[derive(Choice)]` enum [elicit::7]")
        }
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
        Some(count)
            if count as usize > options.len()
                && matches!(options, [first, ..] if first.value.is_empty()) =>
        {
            panic!("choices of run time are 250 at most; lower it [elicit::6]")
        }
        Some(count) if count as usize > options.len() => {
            panic!("there are fewer choices than that; lower it, or add variants [elicit::6]")
        }
        Some(0) if !least => {
            panic!("with `max_items = 0` nothing can be chosen; allow at least 1 [elicit::6]")
        }
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
            Kind::Number { .. } if matches!(literal, Literal::Unwritten) => panic!("{}", UNWRITTEN),
            Kind::Number { .. } => {
                panic!("the default of a decimal is a number, such as `0.5` [elicit::6]")
            }
            Kind::Boolean => panic!("the default of a `bool` is `true` or `false` [elicit::6]"),
            Kind::One(options) => panic!("{}", not_a_choice(options).as_str()),
            Kind::Several { options, .. } => {
                let said = Phrase::new("the default of several choices is a list, `[..]`, of ")
                    .names(options)
                    .text(" [elicit::6]");
                panic!("{}", said.as_str());
            }
            Kind::Secret { .. } => panic!("a secret has no default [elicit::6]"),
        }
    };
    match (kind, default, literal) {
        (Kind::Integer { min, max }, _, Literal::Whole(value, _))
            if (value < min as i128 || value > max as i128) =>
        {
            let bounds = range(min, max);
            panic!("{}", out_of_bounds("", bounds.as_str()).as_str());
        }
        (Kind::Number { min: Some(min), .. }, DefaultValue::Number(value), _)
            if value.value < min.value =>
        {
            panic!("{}", out_of_bounds("at least ", min.text).as_str());
        }
        (Kind::Number { max: Some(max), .. }, DefaultValue::Number(value), _)
            if value.value > max.value =>
        {
            panic!("{}", out_of_bounds("at most ", max.text).as_str());
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
            check_count(len, min_length, max_length, " characters");
            if let Some(format) = format
                && !format.fits(text)
            {
                let said = Phrase::new("this default does not have the field's format: it ")
                    .text(format.hint())
                    .text(" [elicit::6]");
                panic!("{}", said.as_str());
            }
        }
        (Kind::One(options), DefaultValue::Text(text), _) if position(options, text).is_none() => {
            panic!("{}", not_a_choice(options).as_str());
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
            check_count(values.len() as u32, min_items, max_items, " choices");
            let mut rest = values;
            while let [value, after @ ..] = rest {
                if position(options, value).is_none() {
                    panic!("{}", not_a_choice(options).as_str());
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

/// Refuses a default with too few or too many of something.
#[track_caller]
const fn check_count(len: u32, min: Option<u32>, max: Option<u32>, what: &str) {
    let (bound, most) = match (min, max) {
        (Some(min), _) if len < min => (" at least ", min),
        (_, Some(max)) if len > max => (" at most ", max),
        _ => return,
    };
    let said = Phrase::new("this default has ")
        .number(len as i128)
        .text(what)
        .text(", and the field takes")
        .text(bound)
        .number(most as i128)
        .text(CHANGE);
    panic!("{}", said.as_str());
}

/// What to say of a default out of bounds.
const fn out_of_bounds(what: &str, bound: &str) -> Phrase {
    Phrase::new("this default is out of the field's bounds, ")
        .text(what)
        .text(bound)
        .text(CHANGE)
}

const CHANGE: &str = "; change one of the two [elicit::6]";

/// What to say of a default that is no choice.
const fn not_a_choice(options: &[Opt<'_>]) -> Phrase {
    Phrase::new("the default of choices is in the wire's spelling: ")
        .names(options)
        .text(" [elicit::6]")
}

/// Refuses a text or number whose name reads like a credential. The message names it.
#[track_caller]
pub const fn check_name(kind: Kind<'_>, message: &str) {
    if matches!(kind, Kind::Text { .. } | Kind::Integer { .. }) {
        panic!("{}", message);
    }
}
