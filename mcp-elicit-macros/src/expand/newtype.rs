//! The impls of a type that stands for the one inside of it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::Form;
use crate::check::newtype;
use crate::expand::private;

pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let Some(inner) = newtype::inner(form) else {
        return fallback(form);
    };
    let krate = &form.krate;
    let ident = &form.item.ident;
    let private = private(krate, inner.span());
    let field = quote_spanned!(inner.span()=> <#inner as #private::FormField>);
    quote! {
        #[automatically_derived]
        impl #krate::__private::FormField for #ident {
            const KIND: #krate::__private::Kind<'static> = #field::KIND;
            const REQUIRED: ::core::primitive::bool = #field::REQUIRED;

            fn from_checked(
                __value: #krate::__private::Checked<'_>,
            ) -> ::core::result::Result<Self, #krate::__private::Reason> {
                ::core::result::Result::map(#field::from_checked(__value), Self)
            }

            fn to_checked(&self) -> #krate::__private::Checked<'_> {
                #field::to_checked(&self.0)
            }
        }
        #[automatically_derived]
        impl #krate::__private::FormValue for #ident
        where
            for<'__a> &'__a #inner: #krate::__private::IfFormValue,
        {
        }
    }
}

/// What stands after an error. Its kind is that of the type inside, if there is one, so that bounds
/// of fields that use it are no second error.
pub(crate) fn fallback(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let (impl_generics, ty_generics, where_clause) = form.item.generics.split_for_impl();
    let inner = newtype::inner(form).filter(|_| form.item.generics.params.is_empty());
    let kind = match inner {
        Some(inner) => {
            let private = private(krate, inner.span());
            quote_spanned!(inner.span()=> <#inner as #private::FormField>::KIND)
        }
        None => quote!(#krate::__private::Kind::Boolean),
    };
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::__private::FormField for #ident #ty_generics #where_clause {
            const KIND: #krate::__private::Kind<'static> = #kind;

            fn from_checked(
                _: #krate::__private::Checked<'_>,
            ) -> ::core::result::Result<Self, #krate::__private::Reason> {
                ::core::result::Result::Err(#krate::__private::Reason::Borrowed(""))
            }

            fn to_checked(&self) -> #krate::__private::Checked<'_> {
                #krate::__private::Checked::Absent
            }
        }
        #[automatically_derived]
        impl #impl_generics #krate::__private::FormValue for #ident #ty_generics #where_clause {}
    }
}
