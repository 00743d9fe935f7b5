//! What the compiler refuses about bounds, defaults and names, where only the type can tell.
//!
//! The derive calls each check in a constant of its own, at the author's token; it panics there, at
//! compile time, with what to write instead.

#![expect(
    clippy::panic,
    reason = "run by the compiler alone: a panic there is how a constant is refused"
)]

use super::bounds::{Literal, chars, contains, count, default_of, position};
use super::table::{DefaultValue, Kind, Opt};

/// Refuses a `min` or `max` that the type cannot hold.
#[track_caller]
pub const fn check_bound(kind: Kind<'_>, literal: Literal<'_>) {
    match (kind, literal) {
        (Kind::Integer { min, max }, Literal::Whole(value, _) | Literal::Constant(value)) => {
            if value < min as i128 || value > max as i128 {
                panic!("{}", outside(min, max));
            }
        }
        (Kind::Integer { .. }, _) => {
            panic!("the bound of a whole number is a whole number [elicit::6]")
        }
        (Kind::Number { .. }, Literal::Whole(..) | Literal::Decimal(_)) => {}
        (Kind::Number { .. }, _) => {
            panic!("the bound of a decimal is a number, written out: `0.5` [elicit::6]")
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

/// What to say of a bound that a type of this range cannot hold. Constant code cannot put numbers
/// into a text, but the ranges are few.
const fn outside(min: i64, max: i64) -> &'static str {
    const TOP: i64 = super::primitives::EXACT;
    macro_rules! holds {
        ($range:literal) => {
            concat!(
                "this bound is outside of what the field's type can hold, ",
                $range,
                " [elicit::6]"
            )
        };
    }
    match (min, max) {
        (0, 255) => holds!("0 to 255"),
        (0, 65_535) => holds!("0 to 65535"),
        (0, 4_294_967_295) => holds!("0 to 4294967295"),
        (0, TOP) => holds!("0 to 2^53 - 1, the last that JSON clients keep exactly"),
        (-128, 127) => holds!("-128 to 127"),
        (-32_768, 32_767) => holds!("-32768 to 32767"),
        (-2_147_483_648, 2_147_483_647) => holds!("-2147483648 to 2147483647"),
        (1, _) => holds!("which begins at 1"),
        (_, TOP) if min == -TOP => {
            holds!("-(2^53 - 1) to 2^53 - 1, the last that JSON clients keep exactly")
        }
        _ => holds!("as its `KIND` says"),
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
            Kind::Number { .. } => {
                panic!("the default of a decimal is a number, written out: `0.5` [elicit::6]")
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
        (Kind::Integer { min, max }, _, Literal::Whole(value, _) | Literal::Constant(value))
            if (value < min as i128 || value > max as i128) =>
        {
            panic!("this default is out of the field's bounds; move one of them [elicit::6]");
        }
        (Kind::Number { min, max }, DefaultValue::Number(value), _)
            if (matches!(min, Some(min) if value.value < min.value)
                || matches!(max, Some(max) if value.value > max.value)) =>
        {
            panic!("this default is out of the field's bounds; move one of them [elicit::6]");
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
        (Kind::One(options), DefaultValue::Text(text), _) if position(options, text).is_none() => {
            panic!("{}", not_a_choice(options, &mut [0; NAMED]));
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
                    panic!("{}", not_a_choice(options, &mut [0; NAMED]));
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

/// The most that is said of the choices.
const NAMED: usize = 400;

/// What to say of a default that is no choice, with the choices as the wire spells them, or as many
/// as there is room for.
const fn not_a_choice<'a>(mut options: &[Opt<'_>], buffer: &'a mut [u8; NAMED]) -> &'a str {
    const END: &str = " [elicit::6]";
    const MORE: &str = ", ..";
    let mut at = put(
        buffer,
        0,
        "the default of choices is in the wire's spelling: ",
    );
    let mut between = "`\"";
    while let [option, rest @ ..] = options {
        let value = option.value;
        if at + between.len() + value.len() + "\"`".len() + MORE.len() + END.len() > NAMED {
            at = put(buffer, at, MORE);
            break;
        }
        at = put(buffer, at, between);
        at = put(buffer, at, value);
        at = put(buffer, at, "\"`");
        between = ", `\"";
        options = rest;
    }
    at = put(buffer, at, END);
    match str::from_utf8(buffer.split_at(at).0) {
        Ok(text) => text,
        Err(_) => "this default is not one of the choices' wire names [elicit::6]",
    }
}

/// Puts a text into the buffer; where it ends.
#[expect(
    clippy::indexing_slicing,
    reason = "run by the compiler alone, and the caller sees to the room"
)]
const fn put(buffer: &mut [u8; NAMED], mut at: usize, text: &str) -> usize {
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        buffer[at] = *byte;
        at += 1;
        rest = after;
    }
    at
}

/// Refuses a text or number whose name reads like a credential. The message names it.
#[track_caller]
pub const fn check_name(kind: Kind<'_>, message: &str) {
    if matches!(kind, Kind::Text { .. } | Kind::Integer { .. }) {
        panic!("{}", message);
    }
}
