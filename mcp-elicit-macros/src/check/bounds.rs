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
        serde_rename: _,
        default,
        min,
        max,
        min_length,
        max_length,
        min_items,
        max_items,
        format: _,
        enum_names: _,
        not_secret: _,
        secret: _,
        select: _,
    } = &field.options;
    let counts = [min_length, max_length, min_items, max_items];
    for (given, takes) in [
        (min, Takes::Number),
        (max, Takes::Number),
        (default, Takes::Any),
    ]
    .into_iter()
    .chain(counts.map(|it| (it, Takes::Count)))
    {
        if let Some(Given { key, value }) = given
            && let Err(instead) = takes.check(value)
        {
            errors.at(value, Rule::BOUNDS, format_args!("`{key}` {instead}"));
        }
    }
}

/// What an option takes.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// `min`, `max`
    Number,
    /// Lengths and numbers of choices.
    Count,
    /// A default.
    Any,
}

impl Takes {
    /// What is wrong with a value, as far as syntax tells.
    pub(crate) fn check(self, value: &Expr) -> Result<(), &'static str> {
        let sound = match (self, ungrouped(value)) {
            (Self::Any, Expr::Array(list)) => {
                let is_text = |it| matches!(literal(it), Some(Lit::Str(_)));
                list.elems.iter().all(is_text)
            }
            (_, Expr::Array(_) | Expr::Tuple(_)) => false,
            (_, Expr::Path(path)) if is_variant(&path.path) => {
                return Err(
                    "is not a variant; of a choice it is the wire name in quotes: `\"..\"`",
                );
            }
            (_, other) => match (number(other), literal(other)) {
                (Some((negative, lit)), _) => self.takes_number(negative, lit),
                (None, Some(Lit::Str(_) | Lit::Bool(_))) => matches!(self, Self::Any),
                (None, Some(_)) => false,
                (None, None) => true,
            },
        };
        if sound {
            return Ok(());
        }
        Err(match self {
            Self::Number => "takes a number",
            Self::Count => "takes a whole number from 0 to 4294967295",
            Self::Any => "takes a number, a text, `true` or `false`, or a list of texts `[\"..\"]`",
        })
    }

    fn takes_number(self, negative: bool, lit: &Lit) -> bool {
        match (self, lit) {
            (Self::Count, Lit::Int(lit)) => !negative && lit.base10_parse::<u32>().is_ok(),
            (Self::Count, _) => false,
            (_, Lit::Int(lit)) => lit.base10_parse::<i128>().is_ok(),
            (_, Lit::Float(lit)) => lit.base10_parse::<f64>().is_ok_and(f64::is_finite),
            _ => false,
        }
    }
}

/// `Plan::Pro`, and not `u16::MAX` or `limits::MOST`.
fn is_variant(path: &syn::Path) -> bool {
    path.segments.len() > 1
        && path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
        })
}

/// Whether an expression computes with decimals.
pub(crate) fn has_decimal(expr: &Expr) -> bool {
    match ungrouped(expr) {
        Expr::Binary(it) => has_decimal(&it.left) || has_decimal(&it.right),
        Expr::Unary(it) => has_decimal(&it.expr),
        other => matches!(literal(other), Some(Lit::Float(_))),
    }
}

/// Whether an expression names nothing, so that its numbers have no type yet.
pub(crate) fn is_untyped(expr: &Expr) -> bool {
    match ungrouped(expr) {
        Expr::Binary(it) => is_untyped(&it.left) && is_untyped(&it.right),
        Expr::Unary(it) => is_untyped(&it.expr),
        Expr::Lit(_) => true,
        _ => false,
    }
}
