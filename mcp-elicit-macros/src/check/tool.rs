//! The rules for tools and their parameters.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::{
    GenericArgument, GenericParam, Pat, PathArguments, Receiver, ReceiverKind, ReturnType, Safety,
    Signature, Type, TypeReference,
};

use crate::attr::tool::Role;
use crate::check::header;
use crate::errors::Errors;
use crate::handler::{Handler, Kind, Parameter, ungrouped};
use crate::words::Rule;

/// Checks one handler.
pub(crate) fn check(handler: &Handler<'_>, errors: &mut Errors) {
    signature(handler.role.noun(), handler.sig, errors);
    name(handler, errors);
    texts(handler, errors);
    uri(handler, errors);
    description(handler, errors);
    hints(handler, errors);
    parameters(handler, errors);
    header::check(handler, errors);
}

/// Reports tools of one block that are listed under one name.
pub(crate) fn distinct(handlers: &[Handler<'_>], errors: &mut Errors) {
    let mut seen = BTreeMap::new();
    for handler in handlers {
        let name = handler.name();
        if handler.role == Role::Resource {
            continue;
        }
        let noun = handler.role.noun();
        if seen
            .insert((handler.role.word(), name.clone()), ())
            .is_some()
        {
            let message = format_args!(
                "there already is {noun} named `{name}`: give this one another with `name = \"..\"`"
            );
            match &handler.options.name {
                Some(given) => errors.at(&given.value, Rule::TOOLS, message),
                None => errors.at(&handler.sig.ident, Rule::TOOLS, message),
            }
        }
    }
}

fn signature(noun: &str, sig: &Signature, errors: &mut Errors) {
    if sig.asyncness.is_none() {
        errors.at(
            sig.fn_token,
            Rule::TOOLS,
            format_args!("{noun} is asynchronous: write `async fn`"),
        );
    }
    if let Some(token) = &sig.constness {
        errors.at(
            token,
            Rule::TOOLS,
            format_args!("{noun} cannot be `const`: remove the word"),
        );
    }
    match &sig.safety {
        Safety::Default => {}
        safety => errors.at(
            safety,
            Rule::TOOLS,
            format_args!(
                "{noun} is called by anybody, so it cannot have conditions: remove the word"
            ),
        ),
    }
    if let Some(abi) = &sig.abi {
        errors.at(
            abi,
            Rule::TOOLS,
            format_args!("{noun} is a plain Rust function: remove the `extern`"),
        );
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(
            variadic,
            Rule::TOOLS,
            format_args!("{noun} has a fixed list of parameters"),
        );
    }
    for parameter in &sig.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            generic => errors.at(
                generic,
                Rule::TOOLS,
                format_args!(
                    "{noun} cannot be generic, since a call names no types: write the type out"
                ),
            ),
        }
    }
    if let Some(receiver) = sig.receiver() {
        self::receiver(receiver, errors);
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        result(noun, ty, errors);
    }
}

/// What a tool returns is sent when the call is over, so it borrows nothing.
fn result(noun: &str, ty: &Type, errors: &mut Errors) {
    match ungrouped(ty) {
        Type::ImplTrait(it) => errors.at(
            it,
            Rule::TOOLS,
            format_args!("{noun} names its result: write the type out"),
        ),
        Type::Reference(it) if it.lifetime.as_ref().is_none_or(|it| it.ident != "static") => {
            errors.at(
                it,
                Rule::TOOLS,
                format_args!(
                    "the result of {noun} is owned: write `String`, or `&'static str` for a text that is \
                     always the same"
                ),
            );
        }
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last()
                && let PathArguments::AngleBracketed(of) = &last.arguments
            {
                for argument in &of.args {
                    if let GenericArgument::Type(ty) = argument {
                        result(noun, ty, errors);
                    }
                }
            }
        }
        _ => {}
    }
}

fn receiver(receiver: &Receiver, errors: &mut Errors) {
    let is_shared = match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => matches!(
            &**ty,
            Type::Reference(TypeReference {
                mutability: None,
                ..
            })
        ),
        _ => false,
    };
    if !is_shared {
        errors.at(
            receiver,
            Rule::TOOLS,
            "many calls share the value of a tool: take `&self`",
        );
    }
}

fn name(handler: &Handler<'_>, errors: &mut Errors) {
    if handler.role == Role::Resource {
        return;
    }
    let name = handler.name();
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    if (1..=128).contains(&name.len()) && name.bytes().all(is_allowed) {
        return;
    }
    let (noun, word) = (handler.role.noun(), handler.role.word());
    let message = format!("the name of {noun} has 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`");
    match &handler.options.name {
        Some(given) => errors.at(&given.value, Rule::TOOLS, &message),
        None => errors.at(
            &handler.sig.ident,
            Rule::TOOLS,
            format_args!("{message}: give one with `#[{word}(name = \"..\")]`"),
        ),
    }
}

fn description(handler: &Handler<'_>, errors: &mut Errors) {
    match &handler.options.description {
        Some(given) if given.value.value().trim().is_empty() => {
            errors.at(&given.value, Rule::TOOLS, "the description is empty: say what the tool does and when to call it");
        }
        Some(_) => {}
        None if handler.description().is_none() => errors.at(
            &handler.sig.ident,
            Rule::TOOLS,
            match handler.role {
                Role::Tool => "a tool without a description: write a doc comment that tells the model what it does and when to call it",
                Role::Prompt => "a prompt without a description: write a doc comment that tells people what it is for",
                Role::Resource => "a resource without a description: write a doc comment that says what is read",
            },
        ),
        None => {}
    }
    if let Some(title) = &handler.options.title
        && title.value.value().trim().is_empty()
    {
        errors.at(
            &title.value,
            Rule::TOOLS,
            "the title is empty: remove it or write one",
        );
    }
}

fn hints(handler: &Handler<'_>, errors: &mut Errors) {
    if let (Some(read_only), Some(destructive)) =
        (&handler.options.read_only, &handler.options.destructive)
        && read_only.value
        && destructive.value
    {
        errors.at(
            &destructive.key,
            Rule::TOOLS,
            "a `read_only` tool destroys nothing: remove one of the two",
        );
    }
}

fn parameters(handler: &Handler<'_>, errors: &mut Errors) {
    let mut names = BTreeMap::new();
    let (mut cx, mut whole) = (false, false);
    let has_whole = handler
        .parameters
        .iter()
        .any(|it| matches!(it.kind, Kind::Whole(_)));
    for parameter in &handler.parameters {
        for attr in &parameter.typed.attrs {
            if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
                errors.at(
                    attr,
                    Rule::TOOLS,
                    "a parameter of a tool is always there: put the condition on the whole tool",
                );
            }
        }
        match &parameter.kind {
            Kind::Cx => {
                reference(parameter, cx, errors);
                cx = true;
            }
            Kind::Whole(_) => {
                if whole {
                    errors.at(&parameter.typed.ty, Rule::TOOLS, "`Args` already takes all arguments: remove one of the two");
                }
                whole = true;
                plain(parameter, "`Args` is described by its type: move this to the field it is about", errors);
            }
            Kind::Value | Kind::Fill(_) if has_whole => errors.at(
                &parameter.typed.pat,
                Rule::TOOLS,
                "`Args` takes all arguments: make this a field of its type, or write every argument as a parameter",
            ),
            Kind::Value => value(parameter, &mut names, errors),
            Kind::Fill(_) => {
                if let Some(default) = &parameter.options.default {
                    errors.at(&default.key, Rule::TOOLS, "what is left out of a `Fill` is asked of the user: remove it, or give the fields of the form defaults");
                }
                value(parameter, &mut names, errors);
            }
        }
    }
}

/// The arguments of a prompt and the variables of a template are texts, each with a name.
fn texts(handler: &Handler<'_>, errors: &mut Errors) {
    if handler.role == Role::Tool {
        return;
    }
    for parameter in &handler.parameters {
        let (Kind::Whole(_) | Kind::Fill(_)) = &parameter.kind else {
            continue;
        };
        let noun = handler.role.noun();
        errors.at(
            &parameter.typed.ty,
            Rule::TOOLS,
            format_args!("{noun} takes texts, one for each parameter: write the parameters out, and ask for what is more"),
        );
    }
}

/// A resource has a URI, and its parameters are the variables in it.
fn uri(handler: &Handler<'_>, errors: &mut Errors) {
    if handler.role != Role::Resource {
        return;
    }
    let Some(uri) = &handler.options.uri else {
        let message = "a resource has a URI: write `#[resource(\"hr://checklist\")]`, or with variables `#[resource(\"hr://checklist/{employee}\")]`";
        return errors.at(&handler.sig.ident, Rule::TOOLS, message);
    };
    let text = uri.value();
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_scheme) {
        let message = "a URI begins with a scheme, which may be your own: `hr://checklist`";
        return errors.at(uri, Rule::TOOLS, message);
    }
    let variables = match variables(&text) {
        Ok(variables) => variables,
        Err(why) => return errors.at(uri, Rule::TOOLS, why),
    };
    let mut seen = Vec::new();
    for variable in &variables {
        if seen.contains(&variable) {
            errors.at(
                uri,
                Rule::TOOLS,
                format_args!("there already is a variable `{variable}`"),
            );
        }
        seen.push(variable);
    }
    let values = handler
        .parameters
        .iter()
        .filter(|it| matches!(it.kind, Kind::Value));
    let mut named = Vec::new();
    for (name, span) in values.filter_map(Parameter::name) {
        if !variables.contains(&name) {
            let mut at = proc_macro2::Literal::string(&name);
            at.set_span(span);
            let message = format_args!(
                "a parameter of a resource is a variable of its URI: write `{{{name}}}` there, or remove it"
            );
            errors.at(at, Rule::TOOLS, message);
        }
        named.push(name);
    }
    for variable in variables.iter().filter(|it| !named.contains(it)) {
        let message = format_args!(
            "the variable `{variable}` needs a parameter of its name: `{variable}: String`"
        );
        errors.at(uri, Rule::TOOLS, message);
    }
}

/// The names of a template's variables, by the rules that the library matches them with.
fn variables(text: &str) -> Result<Vec<String>, &'static str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        if before.contains('}') {
            return Err("this URI has a `}` without its `{`");
        }
        if before.is_empty() && !names.is_empty() {
            return Err(
                "between two variables stands a text, or nobody knows where the first ends",
            );
        }
        let Some((name, after)) = after.split_once('}') else {
            return Err("this URI has a `{` without its `}`");
        };
        let name = name.strip_prefix('+').unwrap_or(name);
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err("a variable is `{name}`, or `{+name}` for a path of several segments");
        }
        names.push(name.to_owned());
        rest = after;
    }
    match rest.contains('}') {
        true => Err("this URI has a `}` without its `{`"),
        false => Ok(names),
    }
}

fn reference(parameter: &Parameter<'_>, again: bool, errors: &mut Errors) {
    let ty = ungrouped(&parameter.typed.ty);
    let Type::Reference(reference) = ty else {
        return;
    };
    let is_str = matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"));
    if is_str {
        errors.at(
            ty,
            Rule::TOOLS,
            "an argument is owned by its tool: write `String`",
        );
    } else if matches!(&*reference.elem, Type::Slice(_)) {
        errors.at(
            ty,
            Rule::TOOLS,
            "an argument is owned by its tool: write `Vec<_>`",
        );
    } else if let Some(token) = &reference.mutability {
        errors.at(
            token,
            Rule::TOOLS,
            "what a tool can do is shared: write `&Cx`, and own every argument",
        );
    } else if again {
        errors.at(ty, Rule::TOOLS, "there already is a `&Cx`, and an argument is owned by its tool: write its type without `&`");
    }
    plain(
        parameter,
        "this is not an argument, so it has no options",
        errors,
    );
}

/// Reports options where none have a meaning.
fn plain(parameter: &Parameter<'_>, message: &str, errors: &mut Errors) {
    if let Some(key) = parameter.options.first_key() {
        errors.at(key, Rule::TOOLS, message);
    }
}

fn value(parameter: &Parameter<'_>, names: &mut BTreeMap<String, Span>, errors: &mut Errors) {
    let ty = ungrouped(&parameter.typed.ty);
    if let Type::ImplTrait(it) = ty {
        errors.at(
            it,
            Rule::TOOLS,
            "a tool cannot be generic, since a call names no types: write the type out",
        );
    }
    if let Type::Path(path) = ty
        && path.path.segments.last().is_some_and(|it| it.ident == "Cx")
    {
        errors.at(
            ty,
            Rule::TOOLS,
            "a tool borrows what it can do: write `&Cx`",
        );
    }
    let Some((name, span)) = parameter.name() else {
        let message = match &*parameter.typed.pat {
            Pat::Wild(_) => "an argument needs a name: write one instead of `_`",
            _ => {
                "an argument has one plain name: take it apart in the body, or take all arguments as `Args(Trip { to, .. }): Args<Trip>`"
            }
        };
        return errors.at(&parameter.typed.pat, Rule::TOOLS, message);
    };
    if parameter.ident().is_none() {
        let message = "an argument has one plain name: take it apart in the body";
        return errors.at(&parameter.typed.pat, Rule::TOOLS, message);
    }
    let mut at = proc_macro2::Literal::string(&name);
    at.set_span(span);
    if name.is_empty() {
        errors.at(at, Rule::TOOLS, "the name of an argument is not empty");
    } else if names.insert(name.clone(), span).is_some() {
        errors.at(
            at,
            Rule::TOOLS,
            format_args!("there already is an argument named `{name}`"),
        );
    }
}
