//! The impls that still stand after an error, so that code which uses the type stays quiet.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::Form;
use crate::expand::{form, private, select};

pub(crate) fn form(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let mode = form::mode(form);
    let (impl_generics, ty_generics, clause) = form.item.generics.split_for_impl();
    let predicates = clause.map(|it| &it.predicates).into_iter();
    let where_clause = quote! {
        where Self: ::core::marker::Send + 'static, #(#predicates)*
    };
    let types = types(form);
    let options = select::options_type(form);
    let selects = form.has_selects().then(|| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #krate::__private::SelectMode for #ident #ty_generics
            #where_clause
            {
                fn lists(
                    _: Self::Options,
                ) -> ::std::vec::Vec<::std::vec::Vec<#krate::__private::Choosable>> {
                    ::std::vec::Vec::new()
                }

                fn decode_with(
                    _: &::core::primitive::str,
                    _: &#krate::__private::FormTable<'_>,
                ) -> ::core::result::Result<Self, #krate::Invalid> {
                    ::core::result::Result::Err(#krate::Invalid::new(""))
                }
            }
        }
    });
    let fillable = form::fillable(
        form,
        &impl_generics.to_token_stream(),
        &ty_generics.to_token_stream(),
        &where_clause,
    );
    quote! {
        #types
        #[automatically_derived]
        impl #impl_generics #krate::Elicit for #ident #ty_generics #where_clause {
            type Options = #options;

            fn declaration() -> &'static #krate::__private::Declaration {
                #krate::__private::after_error()
            }

            fn decode(
                _: &::core::primitive::str,
            ) -> ::core::result::Result<Self, #krate::Invalid> {
                ::core::result::Result::Err(#krate::Invalid::new(""))
            }

            fn each_value(
                &self,
                _: &mut dyn ::core::ops::FnMut(#krate::__private::Checked<'_>),
            ) {}
        }
        #[automatically_derived]
        impl #impl_generics #krate::__private::#mode for #ident #ty_generics #where_clause {}
        #fillable
        #selects
    }
}

/// Each field's type is still asked for its kind, so that a wrong one is reported together with the
/// rest. A `#[secret]` in a form is left out: it is wrong whatever its type.
fn types(form: &Form<'_>) -> TokenStream {
    if !form.item.generics.params.is_empty() {
        return TokenStream::new();
    }
    form.fields
        .iter()
        .filter(|field| form.is_page() || field.options.secret.is_none())
        .map(|field| {
            let ty = field.ty;
            let private = private(&form.krate, ty.span());
            let takes = field.takes();
            quote_spanned! {ty.span()=>
                const _: ::core::primitive::bool = <#ty as #private::#takes>::REQUIRED;
            }
        })
        .collect()
}
