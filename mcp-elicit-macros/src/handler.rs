//! A view of one handler: the function as the user wrote it, beside the options read from it.
//!
//! It borrows the function, so that every rule can point at the very token. It judges nothing but
//! what each parameter is.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, Block, FnArg, GenericArgument, Ident, Lit, LitStr, Pat, PatType, Path,
    PathArguments, PathSegment, Signature, Type,
};

use crate::attr::given::{self, Given};
use crate::attr::tool::{ArgOptions, Role, ToolOptions};
use crate::errors::Errors;
use crate::words;

/// A handler as it was written.
pub(crate) struct Handler<'a> {
    pub(crate) attrs: &'a [Attribute],
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    pub(crate) role: Role,
    pub(crate) options: ToolOptions,
    /// Where the library is.
    pub(crate) krate: Path,
    pub(crate) parameters: Vec<Parameter<'a>>,
}

/// A parameter other than `self`.
pub(crate) struct Parameter<'a> {
    pub(crate) typed: &'a PatType,
    pub(crate) options: ArgOptions,
    pub(crate) kind: Kind<'a>,
}

/// What a parameter is for.
pub(crate) enum Kind<'a> {
    /// A reference: only `&Cx` can be one, since arguments are owned.
    Cx,
    /// All arguments as this type.
    Whole(&'a Type),
    /// One argument that the user completes, of this type.
    Fill(&'a Type),
    /// One argument.
    Value,
}

impl<'a> Handler<'a> {
    /// Reads what stands on the function and its parameters.
    pub(crate) fn read(
        role: Role,
        options: ToolOptions,
        krate: Path,
        attrs: &'a [Attribute],
        sig: &'a Signature,
        block: &'a Block,
        errors: &mut Errors,
    ) -> Self {
        let typed = sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        let parameters = typed
            .map(|typed| Parameter {
                typed,
                options: ArgOptions::read(
                    role,
                    given::read(&typed.attrs, words::ARG, errors),
                    errors,
                ),
                kind: Kind::of(&typed.ty),
            })
            .collect();
        Self {
            attrs,
            sig,
            block,
            role,
            options,
            krate,
            parameters,
        }
    }

    /// The name under which the tool is listed.
    pub(crate) fn name(&self) -> String {
        match &self.options.name {
            Some(given) => given.value.value(),
            None => self.sig.ident.unraw().to_string(),
        }
    }

    /// What the model is told of the tool, if anything: an expression of the type `&'static str`.
    pub(crate) fn description(&self) -> Option<TokenStream> {
        description(self.options.description.as_ref(), self.attrs)
    }

    /// Whether it is a method.
    pub(crate) fn is_method(&self) -> bool {
        self.sig.receiver().is_some()
    }
}

impl Parameter<'_> {
    /// The plain name that stands before the type, if one does; of `Fill(trip)` it is `trip`.
    pub(crate) fn ident(&self) -> Option<&Ident> {
        let pat = match (&self.kind, &*self.typed.pat) {
            (Kind::Fill(_), Pat::TupleStruct(it)) if it.elems.len() == 1 => it.elems.first()?,
            (_, pat) => pat,
        };
        match pat {
            Pat::Ident(it) if it.by_ref.is_none() && it.subpat.is_none() => Some(&it.ident),
            _ => None,
        }
    }

    /// The name of the argument, and the token it comes from.
    pub(crate) fn name(&self) -> Option<(String, Span)> {
        match &self.options.rename {
            Some(given) => Some((given.value.value(), given.value.span())),
            None => self.ident().map(|it| (it.unraw().to_string(), it.span())),
        }
    }

    /// What the model is told of the argument; an empty text if nothing.
    pub(crate) fn description(&self) -> TokenStream {
        let description = description(self.options.description.as_ref(), &self.typed.attrs);
        description.unwrap_or_else(|| quote!(""))
    }
}

impl<'a> Kind<'a> {
    fn of(ty: &'a Type) -> Self {
        match ungrouped(ty) {
            Type::Reference(_) => Self::Cx,
            // Any other spelling of these is taken for one argument, which its type then refuses.
            Type::Path(path) => match path.path.segments.last() {
                Some(last) if last.ident == "Args" => only(last).map_or(Self::Value, Self::Whole),
                Some(last) if last.ident == "Fill" => only(last).map_or(Self::Value, Self::Fill),
                _ => Self::Value,
            },
            _ => Self::Value,
        }
    }
}

/// The one type that stands in the angle brackets of a path.
fn only(segment: &PathSegment) -> Option<&Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(of) if of.args.len() == 1 => match of.args.first() {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// A description from the option, else from the doc comment. What a macro such as `concat!` gives
/// is not known before the compiler has run it, so it is passed on as it stands.
fn description(option: Option<&Given<LitStr>>, attrs: &[Attribute]) -> Option<TokenStream> {
    if let Some(given) = option {
        return Some(given.value.to_token_stream());
    }
    let docs = attrs.iter().filter(|it| it.path().is_ident("doc"));
    let values = docs.filter_map(|it| it.meta.require_name_value().ok());
    let values = values.map(|it| &it.value).collect::<Vec<_>>();
    if values.iter().all(|it| given::literal(it).is_some()) {
        return given::doc(attrs).map(|(text, _)| text.to_token_stream());
    }
    let lines = values.iter().enumerate().flat_map(|(i, value)| {
        let end = (i > 0).then(|| quote!("\n"));
        let line = match given::literal(value) {
            Some(Lit::Str(line)) => line.value().trim().to_token_stream(),
            _ => value.to_token_stream(),
        };
        end.into_iter().chain([line])
    });
    Some(quote!(::core::concat!(#(#lines),*)))
}

/// The type inside the invisible brackets that `macro_rules!` puts around its parts.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}
