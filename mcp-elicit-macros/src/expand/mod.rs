//! The view to tokens, a file per generated item.
//!
//! Everything a derive writes stands in one `const _`, under absolute paths, and names nothing but
//! public traits and the library's `__private`.

mod asserts;
mod choice;
mod decode;
mod each_value;
mod fallback;
mod form;
mod literal;
mod newtype;
mod select;
mod table;
pub(crate) mod tool;
pub(crate) mod tools;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, Path};

use crate::ast::{Choice, Form};
use crate::check;
use crate::errors::Errors;

/// `#[derive(Elicit)]`, of a form or page or a newtype for a field of one.
pub(crate) fn elicit(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let form = Form::new(item, &mut errors);
    check::form(&form, &mut errors);
    if form.options.transparent.is_some() {
        return finish(
            errors,
            || newtype::expand(&form),
            || newtype::fallback(&form),
            &TokenStream::new(),
        );
    }
    let options = select::options(&form);
    let rest = finish(
        errors,
        || form::expand(&form),
        || fallback::form(&form),
        &asserts::expand(&form),
    );
    quote!(#options #rest)
}

/// `#[derive(Choice)]`.
pub(crate) fn choice(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let choice = Choice::new(item, &mut errors);
    check::choice(&choice, &mut errors);
    finish(
        errors,
        || choice::expand(&choice),
        || choice::fallback(&choice),
        &TokenStream::new(),
    )
}

/// After an error the impls are still there, so that code which uses the type stays quiet, and so
/// are the constants that check the sound parts, so that all mistakes are reported at once.
fn finish(
    errors: Errors,
    sound: impl FnOnce() -> TokenStream,
    fallback: impl FnOnce() -> TokenStream,
    asserts: &TokenStream,
) -> TokenStream {
    let impls = if errors.is_empty() {
        sound()
    } else {
        fallback()
    };
    let errors = errors.into_tokens();
    // The author's own uses of what is deprecated get their warning, and these are not the author's.
    quote! {
        #errors
        #[allow(deprecated)]
        const _: () = {
            #asserts
            #impls
        };
    }
}

/// The library's hidden module, with each token at `span`, so that what the compiler says about the
/// call points there.
fn private(krate: &Path, span: Span) -> TokenStream {
    let path = quote!(#krate::__private);
    at(path, span)
}

/// `tokens` with each at `span`; names are looked up where they were.
fn at(tokens: impl ToTokens, span: Span) -> TokenStream {
    tokens
        .to_token_stream()
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let mut new = proc_macro2::Group::new(group.delimiter(), at(group.stream(), span));
                new.set_span(token.span().located_at(span));
                return TokenTree::Group(new);
            }
            token.set_span(token.span().located_at(span));
            token
        })
        .collect()
}

#[cfg(test)]
mod snapshots {
    //! Three short expansions, as they read. After a change, run with `SNAPSHOTS=overwrite` and
    //! read the difference.

    use std::{env, fs};

    use proc_macro2::TokenStream;
    use syn::parse_quote;

    fn check(name: &str, tokens: TokenStream) {
        let file = syn::parse2(tokens).unwrap();
        let text = prettyplease::unparse(&file);
        let path = format!("{}/snapshots/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        if env::var("SNAPSHOTS").is_ok_and(|it| it == "overwrite") {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap_or_default(),
            text,
            "{path}"
        );
    }

    #[test]
    fn form() {
        check(
            "form",
            super::elicit(&parse_quote! {
                /// Where to?
                struct Trip {
                    to: String,
                    /// How many?
                    #[elicit(max = 9, default = 1)]
                    seats: Option<u8>,
                }
            }),
        );
    }

    #[test]
    fn page() {
        check(
            "page",
            super::elicit(&parse_quote! {
                /// Your account.
                #[elicit(url = "/ui/account", keep = "8h")]
                struct Account {
                    #[secret]
                    key: SecretString,
                }
            }),
        );
    }

    #[test]
    fn choice() {
        check(
            "choice",
            super::choice(&parse_quote! {
                enum Class {
                    First,
                    #[choice(title = "Second class")]
                    Second,
                }
            }),
        );
    }
}
