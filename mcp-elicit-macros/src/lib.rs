//! The macros of `mcp-elicit`; use them through that crate.
//!
//! Steps: attributes to options (`attr`), the item and its options as one view (`ast`, `handler`),
//! rules (`check`), code (`expand`). One list of errors goes through all of them, so that every
//! mistake of an item is reported at once.

mod words;

mod errors;

mod case;

mod attr;

mod ast;

mod handler;

mod check;

mod expand;

use proc_macro::TokenStream;
use syn::parse_macro_input;

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_derive(Elicit, attributes(elicit, secret, select))]
pub fn derive_elicit(input: TokenStream) -> TokenStream {
    expand::elicit(&parse_macro_input!(input)).into()
}

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_derive(Choice, attributes(choice, elicit))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    expand::choice(&parse_macro_input!(input)).into()
}

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools::function(attr::tool::Role::Tool, options.into(), item.into()).into()
}

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools::function(attr::tool::Role::Prompt, options.into(), item.into()).into()
}

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools::function(attr::tool::Role::Resource, options.into(), item.into()).into()
}

#[allow(missing_docs, reason = "documented where it is re-exported")]
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools::block(options.into(), item.into()).into()
}
