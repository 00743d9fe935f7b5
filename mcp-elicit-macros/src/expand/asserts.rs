//! Constants that refuse what only the type can tell: bounds it cannot hold, defaults it cannot
//! take, and texts named like credentials. Each is an item of its own at the author's token, so that
//! every mistake is reported, and once.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Path};

use crate::ast::{Field, Form};
use crate::attr::given::Given;
use crate::check::bounds::Takes;
use crate::check::secrets::reads_like_credential;
use crate::expand::{literal, private, table};
use crate::words::Rule;

/// The constants of all fields.
pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for field in &form.fields {
        if field.options.secret.is_none() {
            bounds(&form.krate, field, &mut out);
            name(form, field, &mut out);
        }
    }
    out
}

fn bounds(krate: &Path, field: &Field<'_>, out: &mut TokenStream) {
    let options = &field.options;
    let kind = if field.options.select.is_some() {
        table::widest_kind(krate, field)
    } else {
        table::plain_kind(krate, field)
    };
    // What syntax shows to be wrong is reported already.
    let value = |given: &Option<Given<Expr>>, takes: Takes| {
        let value = &given.as_ref()?.value;
        takes.check(value).ok()?;
        Some((literal::tokens(krate, value)?, Place::of(value)))
    };
    // Of a list of run time only its length has bounds; the others are reported already.
    let is_select = options.select.is_some();
    let plain = |given, takes| value(given, takes).filter(|_| !is_select);
    let min = plain(&options.min, Takes::Number);
    let max = plain(&options.max, Takes::Number);
    let min_length = plain(&options.min_length, Takes::Count);
    let max_length = plain(&options.max_length, Takes::Count);
    let min_items = value(&options.min_items, Takes::Count);
    let max_items = value(&options.max_items, Takes::Count);
    for (value, place) in [&min, &max].into_iter().flatten() {
        place.call(krate, "check_bound", &quote!(#kind, #value), out);
    }
    for (value, place) in [&min_length, &max_length].into_iter().flatten() {
        place.call(krate, "check_length", &quote!(#kind, #value), out);
    }
    for (given, least) in [(&min_items, true), (&max_items, false)] {
        if let Some((value, place)) = given {
            place.call(krate, "check_items", &quote!(#kind, #value, #least), out);
        }
    }
    for pair in [
        (&min, &max),
        (&min_length, &max_length),
        (&min_items, &max_items),
    ] {
        if let (Some((least, _)), Some((most, place))) = pair {
            place.call(krate, "check_order", &quote!(#least, #most), out);
        }
    }
    if let Some(format) = options.format.as_ref().filter(|_| !is_select) {
        Place::of(&format.value).call(krate, "check_format", &kind, out);
    }
    if let Some(enum_names) = options.enum_names.as_ref().filter(|_| !is_select) {
        Place::of(&enum_names.key).call(krate, "check_enum_names", &kind, out);
    }
    if let Some((value, place)) = plain(&options.default, Takes::Any) {
        let kind = table::kind(krate, field);
        place.call(krate, "check_default", &quote!(#kind, #value), out);
    }
}

fn name(form: &Form<'_>, field: &Field<'_>, out: &mut TokenStream) {
    if !reads_like_credential(field) {
        return;
    }
    let kind = table::plain_kind(&form.krate, field);
    let Rule(number) = Rule::NAMES;
    let ident = field.ident.unraw();
    let message = if form.is_page() {
        format!(
            "`{ident}` reads like a credential: make it `#[secret] {ident}: SecretString`; if it is no \
             secret, say why: `#[elicit(not_secret = \"..\")]` [elicit::{number}]",
        )
    } else {
        format!(
            "`{ident}` reads like a credential, and a form shows it to the client and the model; ask on \
             a page: `#[elicit(url = \"/ui/name\")]` on the struct, `#[secret]` and `SecretString` \
             here; if it is no secret, say why: `#[elicit(not_secret = \"..\")]` [elicit::{number}]",
        )
    };
    Place::of(field.ident).call(&form.krate, "check_name", &quote!(#kind, #message), out);
}

/// Where the compiler shall point: from the first token of something to its last.
struct Place {
    first: Span,
    last: Span,
}

impl Place {
    fn of(tokens: impl ToTokens) -> Self {
        let mut spans = tokens.to_token_stream().into_iter().map(|it| it.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        Self {
            first,
            last: spans.last().unwrap_or(first),
        }
    }

    /// A constant that calls this check here.
    fn call(&self, krate: &Path, check: &str, arguments: &TokenStream, out: &mut TokenStream) {
        let private = private(krate, self.first);
        let here = Span::call_site().located_at(self.first);
        let check = Ident::new(check, here);
        let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
        arguments.set_span(Span::call_site().located_at(self.last));
        out.extend(quote_spanned! {here=>
            const _: () = #private::#check #arguments;
        });
    }
}
