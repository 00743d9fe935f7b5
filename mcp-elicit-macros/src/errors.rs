//! The error list of one item: every mistake goes in, all come out together.
//!
//! It knows nothing of what is parsed.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::words::Rule;

/// All mistakes of one item, in the order they were found.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error that a parser made.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Adds a mistake against `rule` at `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, rule: Rule, message: impl Display) {
        let Rule(number) = rule;
        self.push(syn::Error::new_spanned(
            tokens,
            format_args!("{message} [elicit::{number}]"),
        ));
    }

    /// Adds all of another list.
    pub(crate) fn append(&mut self, other: Self) {
        if let Some(error) = other.0 {
            self.push(error);
        }
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The `compile_error!` items; no tokens if nothing was found.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
            .map_or_else(TokenStream::new, |e| e.into_compile_error())
    }
}
