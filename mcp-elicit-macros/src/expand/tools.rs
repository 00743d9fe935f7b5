//! The items that stand for tools, prompts and resources: the function beside a type of its name, and the `impl` block
//! beside the tools of its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, ImplItem, ItemFn, ItemImpl, Path, Signature, parse_quote};

use crate::ast;
use crate::attr::tool::{Role, ToolOptions};
use crate::attr::{given, tool as options};
use crate::check;
use crate::errors::Errors;
use crate::handler::Handler;
use crate::words::{self, Rule};

use super::tool;

/// `#[tool]`, `#[prompt]` or `#[resource]` on a free function. It stays what it is; beside it stands a type of the same name, so that one `use` brings both.
pub(crate) fn function(role: Role, written: TokenStream, item: TokenStream) -> TokenStream {
    let word = role.word();
    let Ok(item) = syn::parse2::<ItemFn>(item.clone()) else {
        return misplaced(item, &format!("`#[{word}]` stands on an `async fn`"));
    };
    let mut errors = Errors::default();
    let options = ToolOptions::read(role, written, &mut errors);
    let krate = ast::krate(options.krate.as_ref());
    let handler = Handler::read(
        role,
        options,
        krate.clone(),
        &item.attrs,
        &item.sig,
        &item.block,
        &mut errors,
    );
    check::tool::check(&handler, &mut errors);
    if let Some(receiver) = item.sig.receiver() {
        let noun = role.noun();
        let message = format_args!(
            "a method becomes {noun} by `#[tools]` on its `impl` block, where this is written `#[{word}]`"
        );
        errors.at(receiver, Rule::TOOLS, message);
        // Nothing that could stand beside a function can stand in an `impl` block.
        let errors = errors.into_tokens();
        let item = cleaned(item);
        return quote!(#item #errors);
    }
    let name = &item.sig.ident;
    let add = errors.is_empty().then(|| {
        let it = tool::expand(&handler, &name.to_token_stream());
        quote!(#krate::Toolset::add(__all, #it);)
    });
    let conditions = conditions(&item.attrs);
    let vis = &item.vis;
    let docs = format!("[`{name}`](fn@{name}) as {}.", role.noun());
    let errors = errors.into_tokens();
    let beside = quote! {
        #(#conditions)*
        #[doc = #docs]
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types, missing_debug_implementations, unreachable_pub, clippy::all)]
        #vis enum #name {}

        #(#conditions)*
        #[automatically_derived]
        #[allow(clippy::all, deprecated, unused_mut, unused_variables)]
        impl #krate::__private::tool::FreeTool for #name {
            fn add_to(__all: &mut #krate::Toolset) {
                #add
            }
        }
    };
    let item = cleaned(item);
    quote!(#item #beside #errors)
}

/// `#[tools]` on an `impl` block.
pub(crate) fn block(written: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<ItemImpl>(item.clone()) else {
        return misplaced(item, "`#[tools]` stands on an `impl` block");
    };
    let mut errors = Errors::default();
    let entries = given::read_list(written, &mut errors);
    let krate = ast::krate(options::krate_of_block(entries, &mut errors).as_ref());
    if let Some((path, _)) = &item.trait_ {
        let message = "`#[tools]` stands on the `impl` block of a type, not of a trait";
        errors.at(path, Rule::TOOLS, message);
    }
    let all = Ident::new("tools", Span::mixed_site());
    let tools = methods(&item, &krate, &all, &mut errors);
    let errors = errors.into_tokens();
    let ty = &item.self_ty;
    let this = tool::this();
    let mut generics = item.generics.clone();
    // Calls run beside each other, on any thread.
    let shared =
        quote_spanned!(ty.span()=> #ty: ::core::marker::Send + ::core::marker::Sync + 'static);
    generics
        .make_where_clause()
        .predicates
        .push(parse_quote!(#shared));
    let (of, _, bounds) = generics.split_for_impl();
    let beside = item.trait_.is_none().then(|| {
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, deprecated, unused_mut, unused_variables)]
            impl #of #krate::IntoTools for #ty #bounds {
                fn into_tools(self) -> #krate::Toolset {
                    let #this = #krate::__private::tool::Arc::new(self);
                    let mut #all = <#krate::Toolset as ::core::default::Default>::default();
                    #tools
                    #all
                }
            }
        }
    });
    let conditions = conditions(&item.attrs);
    let beside = beside.map(|it| quote!(#(#conditions)* #it));
    for inner in &mut item.items {
        if let ImplItem::Fn(method) = inner
            && options::role(&method.attrs).is_some()
        {
            clean_method(method);
        }
    }
    quote!(#item #beside #errors)
}

/// Statements that add each tool of a block that has no fault.
fn methods(item: &ItemImpl, krate: &Path, all: &Ident, errors: &mut Errors) -> TokenStream {
    let ty = &item.self_ty;
    let mut handlers = Vec::new();
    let mut statements = TokenStream::new();
    for inner in &item.items {
        let ImplItem::Fn(method) = inner else {
            continue;
        };
        let Some(role) = options::role(&method.attrs) else {
            continue;
        };
        let mut own = Errors::default();
        let written = options::written(&method.attrs, role, &mut own);
        let options = ToolOptions::read(role, written, &mut own);
        if let Some(given) = &options.krate {
            let message = "the library is named once for the block: write `#[tools(crate = ..)]`";
            own.at(&given.key, Rule::OPTIONS, message);
        }
        let handler = Handler::read(
            role,
            options,
            krate.clone(),
            &method.attrs,
            &method.sig,
            &method.block,
            &mut own,
        );
        check::tool::check(&handler, &mut own);
        if own.is_empty() {
            let name = &method.sig.ident;
            let it = tool::expand(&handler, &quote_spanned!(name.span()=> <#ty>::#name));
            let conditions = conditions(&method.attrs);
            statements.extend(quote!(#(#conditions)* #krate::Toolset::add(&mut #all, #it);));
        }
        errors.append(own);
        handlers.push(handler);
    }
    if handlers.is_empty() {
        let message = "no method here is a tool, a prompt or a resource: write `#[tool]`, `#[prompt]` or `#[resource(\"..\")]` on those that are";
        errors.at(ty, Rule::TOOLS, message);
    }
    check::tool::distinct(&handlers, errors);
    statements
}

/// The item as it is, with an error at it. What is no Rust at all gets its own error this way.
fn misplaced(item: TokenStream, message: &str) -> TokenStream {
    let mut errors = Errors::default();
    errors.at(&item, Rule::TOOLS, message);
    let errors = errors.into_tokens();
    quote!(#item #errors)
}

/// The function without what only this macro reads. An ask that nobody waits for would otherwise
/// be a warning that is easily missed.
fn cleaned(mut item: ItemFn) -> ItemFn {
    strip(&mut item.sig);
    item.attrs.insert(0, parse_quote!(#[deny(unused_must_use)]));
    item
}

fn clean_method(method: &mut syn::ImplItemFn) {
    strip(&mut method.sig);
    method
        .attrs
        .retain(|attr| options::Role::of(attr).is_none());
    method
        .attrs
        .insert(0, parse_quote!(#[deny(unused_must_use)]));
}

/// Takes from the parameters what only this macro reads.
pub(crate) fn strip(sig: &mut Signature) {
    for input in &mut sig.inputs {
        let attrs = match input {
            FnArg::Typed(it) => &mut it.attrs,
            FnArg::Receiver(it) => &mut it.attrs,
        };
        attrs.retain(|it| !it.path().is_ident("doc") && !it.path().is_ident(words::ARG));
    }
}

/// The conditions under which an item is there, which hold for what stands beside it as well.
fn conditions(attrs: &[Attribute]) -> Vec<&Attribute> {
    attrs
        .iter()
        .filter(|it| it.path().is_ident("cfg"))
        .collect()
}
