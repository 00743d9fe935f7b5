//! What a form with choices of run time has besides: the struct that they are given in, and the impl
//! that takes it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::ast::{Field, Form};

/// `RouteOptions` of `Route`.
fn name(form: &Form<'_>) -> Ident {
    format_ident!(
        "{}Options",
        form.item.ident.unraw(),
        span = form.item.ident.span()
    )
}

/// What must be given to ask it.
pub(crate) fn options_type(form: &Form<'_>) -> TokenStream {
    if form.has_selects() {
        let name = name(form);
        quote!(#name)
    } else {
        quote!(())
    }
}

fn selects<'f, 'i>(form: &'f Form<'i>) -> impl Iterator<Item = &'f Field<'i>> {
    form.fields.iter().filter(|it| it.options.select.is_some())
}

/// The struct of the choices, for all to name who can name the form.
pub(crate) fn options(form: &Form<'_>) -> TokenStream {
    if !form.has_selects() {
        return TokenStream::new();
    }
    let krate = &form.krate;
    let vis = &form.item.vis;
    let name = name(form);
    let doc = format!("The choices to ask a [`{}`] with.", form.item.ident);
    let fields = selects(form).map(|field| {
        let ident = field.ident;
        let ty = field.ty;
        let doc = format!("What there is to choose from for `{ident}`, with the title of each.");
        quote! {
            #[doc = #doc]
            #vis #ident: #krate::__private::Choices<#ty>
        }
    });
    quote! {
        #[doc = #doc]
        #vis struct #name {
            #(#fields,)*
        }
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Formatter::write_str(__f, ::core::stringify!(#name))
            }
        }
    }
}

/// `Elicit::decode`, for which there are no choices.
pub(crate) fn plain_decode(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    quote! {
        fn decode(
            __json: &::core::primitive::str,
        ) -> ::core::result::Result<Self, #krate::Invalid> {
            <Self as #krate::__private::SelectMode>::decode_with(__json, __TABLE)
        }
    }
}

/// The impl that takes the choices.
pub(crate) fn mode(form: &Form<'_>, decode: &TokenStream) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let fields = selects(form).map(|field| field.ident);
    quote! {
        #[automatically_derived]
        impl #krate::__private::SelectMode for #ident {
            fn lists(
                __options: Self::Options,
            ) -> ::std::vec::Vec<::std::vec::Vec<#krate::__private::Choosable>> {
                ::std::vec![#(#krate::__private::Choices::into_list(__options.#fields)),*]
            }

            #decode
        }
    }
}
