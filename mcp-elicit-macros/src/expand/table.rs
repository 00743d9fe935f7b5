//! The const table: one entry per field, its kind asked of the type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path};

use crate::ast::{Field, Form, text_tokens};
use crate::attr::field::FieldOptions;
use crate::attr::given::Given;
use crate::expand::{literal, private};

/// The entries of all fields.
pub(crate) fn fields(form: &Form<'_>) -> Vec<TokenStream> {
    form.fields
        .iter()
        .map(|field| entry(&form.krate, field))
        .collect()
}

fn entry(krate: &Path, field: &Field<'_>) -> TokenStream {
    let private = private(krate, field.ident.span());
    let name = &field.name.value;
    let title = &field.title.value;
    let description = text_tokens(field.description.as_ref());
    let kind = kind(krate, field);
    let required = required(krate, field);
    let default = with(krate, "with_default", field.options.default.as_ref());
    let select = field.options.select.map(|_| quote!(.with_select()));
    let enum_names = field
        .options
        .enum_names
        .as_ref()
        .map(|_| quote!(.with_enum_names()));
    quote! {
        #private::Field::new(#name, #title, #description, #kind, #required) #select #enum_names #default
    }
}

/// The type's own kind, before the field's bounds.
pub(crate) fn plain_kind(krate: &Path, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    let private = private(krate, ty.span());
    let takes = field.takes();
    quote_spanned!(ty.span()=> <#ty as #private::#takes>::KIND)
}

/// The kind of a `#[select]` field with the longest list it can have.
pub(crate) fn widest_kind(krate: &Path, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    let private = private(krate, ty.span());
    quote_spanned!(ty.span()=> <#ty as #private::SelectField>::WIDEST)
}

/// The kind with the field's bounds.
pub(crate) fn kind(krate: &Path, field: &Field<'_>) -> TokenStream {
    let private = private(krate, field.ident.span());
    if let Some(secret) = &field.options.secret {
        let multiline = secret.multiline.is_some();
        return quote!(#private::Kind::Secret { multiline: #multiline });
    }
    let FieldOptions {
        title: _,
        description: _,
        rename: _,
        serde_rename: _,
        default: _,
        min,
        max,
        min_length,
        max_length,
        min_items,
        max_items,
        format,
        enum_names: _,
        not_secret: _,
        secret: _,
        select: _,
    } = &field.options;
    let plain = plain_kind(krate, field);
    let bounds = [
        ("with_min", min),
        ("with_max", max),
        ("with_min_length", min_length),
        ("with_max_length", max_length),
        ("with_min_items", min_items),
        ("with_max_items", max_items),
    ]
    .into_iter()
    .map(|(method, given)| with(krate, method, given.as_ref()));
    let format = format.as_ref().map(|it| {
        let variant = format_variant(&it.value.value());
        quote!(.with_format(#private::Format::#variant))
    });
    quote!(#plain #(#bounds)* #format)
}

fn with(krate: &Path, method: &str, given: Option<&Given<Expr>>) -> Option<TokenStream> {
    let value = literal::tokens(krate, &given?.value)?;
    let method = quote::format_ident!("{method}");
    Some(quote!(.#method(#value)))
}

fn format_variant(name: &str) -> TokenStream {
    match name {
        "email" => quote!(Email),
        "uri" => quote!(Uri),
        "date" => quote!(Date),
        _ => quote!(DateTime),
    }
}

fn required(krate: &Path, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    let private = private(krate, ty.span());
    let takes = field.takes();
    quote_spanned!(ty.span()=> <#ty as #private::#takes>::REQUIRED)
}
