//! The macros of `mcp-elicit`; use them through that crate.
//!
//! Steps: attributes to options (`attr`), the item and its options as one view (`ast`), rules
//! (`check`), code (`expand`). One list of errors goes through all of them, so that every mistake
//! of an item is reported at once.

mod attr;
mod check;
mod errors;
mod expand;
mod handler;
mod words;

use proc_macro::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::words::Rule;

/// Makes a tool of an `async fn`.
///
/// The documentation of `mcp-elicit` has the details.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(function) => expand::tools::function(options.into(), function).into(),
        Err(_) => misplaced(item.into(), "`#[tool]` stands on an `async fn`").into(),
    }
}

/// Makes tools of the `#[tool]` methods of an `impl` block.
///
/// The documentation of `mcp-elicit` has the details.
#[proc_macro_attribute]
pub fn tools(options: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(block) => expand::tools::block(options.into(), block).into(),
        Err(_) => misplaced(item.into(), "`#[tools]` stands on an `impl` block").into(),
    }
}

/// The item as it is, with an error at it. What is no Rust at all gets its own error this way.
fn misplaced(item: proc_macro2::TokenStream, message: &str) -> proc_macro2::TokenStream {
    let mut errors = Errors::default();
    errors.at(item.clone(), Rule::TOOLS, message);
    let errors = errors.into_tokens();
    quote!(#item #errors)
}
