//! The impls of a choice.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Choice, title_of};

pub(crate) fn expand(choice: &Choice<'_>) -> TokenStream {
    let ident = &choice.item.ident;
    let variants: Vec<_> = choice.variants.iter().map(|it| &it.variant.ident).collect();
    let values = choice.variants.iter().map(|it| &it.value.value);
    let indexes = 0..variants.len();
    impls(
        choice,
        &quote! {
            match __index {
                #(#indexes => ::core::option::Option::Some(#ident::#variants),)*
                _ => ::core::option::Option::None,
            }
        },
        &quote! {
            match self {
                #(#ident::#variants => #values,)*
            }
        },
    )
}

/// What stands after an error: the options are still there, for the bounds of fields that use them.
pub(crate) fn fallback(choice: &Choice<'_>) -> TokenStream {
    impls(choice, &quote!(::core::option::Option::None), &quote!(""))
}

fn impls(choice: &Choice<'_>, from_index: &TokenStream, as_str: &TokenStream) -> TokenStream {
    let krate = &choice.krate;
    let ident = &choice.item.ident;
    let (impl_generics, ty_generics, clause) = choice.item.generics.split_for_impl();
    let predicates = clause.map(|it| &it.predicates).into_iter();
    let where_clause = (!choice.item.generics.params.is_empty())
        .then(|| quote!(where Self: ::core::marker::Send + 'static, #(#predicates)*));
    let is_titled = choice.variants.iter().any(|it| it.title.is_some());
    let options = choice.variants.iter().map(|it| {
        let value = &it.value.value;
        let title = if is_titled {
            let title = title_of(it);
            quote!(::core::option::Option::Some(#title))
        } else {
            quote!(::core::option::Option::None)
        };
        quote!(#krate::__private::Opt::new(#value, #title))
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Choice for #ident #ty_generics #where_clause {
            const OPTIONS: &'static [#krate::__private::Opt<'static>] = &[#(#options),*];

            fn from_index(__index: ::core::primitive::usize) -> ::core::option::Option<Self> {
                #from_index
            }

            fn as_str(&self) -> &'static ::core::primitive::str {
                #as_str
            }
        }
        #[automatically_derived]
        impl #impl_generics #krate::__private::FormField for #ident #ty_generics #where_clause {
            const KIND: #krate::__private::Kind<'static> =
                #krate::__private::Kind::One(<Self as #krate::Choice>::OPTIONS);

            fn from_checked(
                __value: #krate::__private::Checked<'_>,
            ) -> ::core::result::Result<Self, #krate::__private::Reason> {
                #krate::__private::one(__value)
            }

            fn to_checked(&self) -> #krate::__private::Checked<'_> {
                #krate::__private::chosen(self)
            }
        }
        #[automatically_derived]
        impl #impl_generics #krate::__private::FormValue for #ident #ty_generics #where_clause {}
    }
}
