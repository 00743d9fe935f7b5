//! The rules for arguments that are repeated in headers (server/tools, "x-mcp-header").
//!
//! What a type turns into is known only to its schema, which the library looks at when the server is
//! built; here is refused what can be seen at once.

use std::collections::BTreeSet;

use syn::{GenericArgument, PathArguments, Type};

use crate::attr::tool::Role;
use crate::check::secrets;
use crate::errors::Errors;
use crate::handler::{Handler, Kind, Parameter, ungrouped};
use crate::words::Rule;

/// Types whose values are no texts, whole numbers or booleans.
const OTHERS: &[&str] = &[
    "f32", "f64", "Vec", "VecDeque", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "Map", "Value",
];

pub(crate) fn check(handler: &Handler<'_>, errors: &mut Errors) {
    if handler.role != Role::Tool {
        return;
    }
    let mut seen = BTreeSet::new();
    for parameter in &handler.parameters {
        let Some(header) = &parameter.options.header else {
            continue;
        };
        let (name, at) = (header.value.value(), &header.value);
        if !is_token(&name) {
            let message = "this is the end of a header's name, `Mcp-Param-..`: write letters, digits and `-`, such as \"Region\"";
            errors.at(at, Rule::TOOLS, message);
        } else if !seen.insert(name.to_ascii_lowercase()) {
            let message = format_args!(
                "there already is a header `{name}`, whose case does not count: write another"
            );
            errors.at(at, Rule::TOOLS, message);
        }
        if reads_like_credential(parameter) || secrets::is_credential(&name) {
            let message = "a header is seen by every proxy, and this reads like a credential: remove it, or give the argument another name";
            errors.at(&header.key, Rule::TOOLS, message);
        }
        match parameter.kind {
            Kind::Fill(_) => errors.at(
                &header.key,
                Rule::TOOLS,
                "a form is no text that a header could repeat: remove it",
            ),
            Kind::Value if !can_be_repeated(&parameter.typed.ty) => {
                let message = "a header repeats a text, a whole number or a boolean: remove `header`, or make the argument one of these";
                errors.at(&parameter.typed.ty, Rule::TOOLS, message);
            }
            _ => {}
        }
    }
}

fn reads_like_credential(parameter: &Parameter<'_>) -> bool {
    parameter
        .name()
        .is_some_and(|(name, _)| secrets::is_credential(&name))
}

fn is_token(text: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Whether nothing in how a type is written says that it is another kind of value.
fn can_be_repeated(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Array(_) | Type::Slice(_) | Type::Tuple(_) => false,
        Type::Path(path) => path.path.segments.last().is_none_or(|last| {
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(of) => of.args.iter().find_map(|it| match it {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                }),
                _ => None,
            };
            !OTHERS.iter().any(|it| last.ident == it) && inner.is_none_or(can_be_repeated)
        }),
        _ => true,
    }
}
