//! The values of bounds and defaults, as far as syntax tells: each must be of a kind that the
//! option can take. Whether the type can is for the constants that `expand` writes.

use syn::{Expr, Lit};

use crate::ast::Field;
use crate::attr::field::FieldOptions;
use crate::attr::given::{Given, literal, number, ungrouped};
use crate::errors::Errors;
use crate::words::Rule;

pub(crate) fn check(field: &Field<'_>, errors: &mut Errors) {
    let FieldOptions {
        title: _,
        description: _,
        rename: _,
        default,
        min,
        max,
        min_length,
        max_length,
        min_items,
        max_items,
        format: _,
        not_secret: _,
        secret: _,
    } = &field.options;
    for bound in [min, max].into_iter().flatten() {
        check_number(bound, errors);
    }
    for count in [min_length, max_length, min_items, max_items]
        .into_iter()
        .flatten()
    {
        check_count(count, errors);
    }
    if let Some(default) = default {
        check_default(default, errors);
    }
}

fn check_number(bound: &Given<Expr>, errors: &mut Errors) {
    let key = &bound.key;
    match number(&bound.value) {
        Some((_, lit)) if !fits(lit) => {
            errors.at(&bound.value, Rule::BOUNDS, "this number is too large");
        }
        Some(_) => {}
        None if literal(&bound.value).is_some() || is_list(&bound.value) => errors.at(
            &bound.value,
            Rule::BOUNDS,
            format_args!("`{key}` takes a number"),
        ),
        None => {}
    }
}

fn check_count(count: &Given<Expr>, errors: &mut Errors) {
    let key = &count.key;
    let is_whole = match number(&count.value) {
        Some((negative, Lit::Int(lit))) => !negative && lit.base10_parse::<u32>().is_ok(),
        Some(_) => false,
        None => literal(&count.value).is_none() && !is_list(&count.value),
    };
    if !is_whole {
        errors.at(
            &count.value,
            Rule::BOUNDS,
            format_args!("`{key}` takes a whole number from 0 to 4294967295"),
        );
    }
}

fn check_default(default: &Given<Expr>, errors: &mut Errors) {
    let value = ungrouped(&default.value);
    let is_sound = match value {
        Expr::Array(list) => list
            .elems
            .iter()
            .all(|it| matches!(literal(it), Some(Lit::Str(_)))),
        Expr::Lit(_) | Expr::Unary(_) => match (number(value), literal(value)) {
            (Some((_, lit)), _) => fits(lit),
            (None, Some(lit)) => matches!(lit, Lit::Str(_) | Lit::Bool(_)),
            (None, None) => true,
        },
        _ => true,
    };
    if !is_sound {
        errors.at(
            &default.value,
            Rule::BOUNDS,
            "a default is a number, a text, `true` or `false`, or a list of texts `[\"..\"]`",
        );
    }
}

fn is_list(expr: &Expr) -> bool {
    matches!(ungrouped(expr), Expr::Array(_) | Expr::Tuple(_))
}

fn fits(lit: &Lit) -> bool {
    match lit {
        Lit::Int(lit) => lit.base10_parse::<i128>().is_ok(),
        Lit::Float(lit) => lit.base10_parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    }
}
