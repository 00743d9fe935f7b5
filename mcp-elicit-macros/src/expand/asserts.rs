//! Constants that refuse what only the type can tell: bounds it cannot hold, defaults it cannot
//! take, and texts named like credentials. Each is an item of its own at the author's token, so that
//! every mistake is reported, and once.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Expr, Path};

use crate::ast::{Field, Form};
use crate::attr::given::Given;
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
    let kind = table::plain_kind(krate, field);
    let value = |given: &Option<Given<Expr>>| {
        let given = given.as_ref()?;
        let tokens = literal::tokens(krate, &given.value)?;
        Some((tokens, given.value.span()))
    };
    let [min, max] = [value(&options.min), value(&options.max)];
    let [min_length, max_length] = [value(&options.min_length), value(&options.max_length)];
    let [min_items, max_items] = [value(&options.min_items), value(&options.max_items)];
    for (value, span) in [&min, &max].into_iter().flatten() {
        call(
            krate,
            *span,
            &quote!(check_bound),
            &quote!(#kind, #value),
            out,
        );
    }
    for (value, span) in [&min_length, &max_length].into_iter().flatten() {
        call(
            krate,
            *span,
            &quote!(check_length),
            &quote!(#kind, #value),
            out,
        );
    }
    for (it, least) in [(&min_items, true), (&max_items, false)] {
        if let Some((value, span)) = it {
            call(
                krate,
                *span,
                &quote!(check_items),
                &quote!(#kind, #value, #least),
                out,
            );
        }
    }
    for (least, most) in [
        (&min, &max),
        (&min_length, &max_length),
        (&min_items, &max_items),
    ] {
        if let (Some((least, _)), Some((most, span))) = (least, most) {
            call(
                krate,
                *span,
                &quote!(check_order),
                &quote!(#least, #most),
                out,
            );
        }
    }
    if let Some(format) = &options.format {
        call(
            krate,
            format.value.span(),
            &quote!(check_format),
            &kind,
            out,
        );
    }
    if let Some((value, span)) = value(&options.default) {
        let kind = table::kind(krate, field);
        call(
            krate,
            span,
            &quote!(check_default),
            &quote!(#kind, #value),
            out,
        );
    }
}

fn name(form: &Form<'_>, field: &Field<'_>, out: &mut TokenStream) {
    if !reads_like_credential(form, field) {
        return;
    }
    let kind = table::plain_kind(&form.krate, field);
    let Rule(number) = Rule::NAMES;
    let message = format!(
        "`{}` reads like a credential, and a form shows it to the client and the model; ask on a page: \
         `#[elicit(url = \"/ui/name\")]` on the struct, `#[secret]` and `SecretString` here; if it is \
         no secret, say why: `#[elicit(not_secret = \"..\")]` [elicit::{number}]",
        field.ident.unraw(),
    );
    let span = field.ident.span();
    call(
        &form.krate,
        span,
        &quote!(check_name),
        &quote!(#kind, #message),
        out,
    );
}

fn call(
    krate: &Path,
    span: Span,
    function: &TokenStream,
    arguments: &TokenStream,
    out: &mut TokenStream,
) {
    let private = private(krate, span);
    let function = super::at(function, span);
    out.extend(quote_spanned! {span=>
        const _: () = #private::#function(#arguments);
    });
}
