//! The function that takes the checked values, field by field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::Form;
use crate::expand::private;

/// `Elicit::decode`.
pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let len = form.fields.len();
    let locals: Vec<_> = (0..len).map(|i| format_ident!("__field_{i}")).collect();
    let takes = form.fields.iter().enumerate().map(|(index, field)| {
        let ty = field.ty;
        let private = private(krate, ty.span());
        let takes = field.takes();
        let take = quote_spanned!(ty.span()=> <#ty as #private::#takes>::from_checked);
        quote!(__answers.take(#index, #take))
    });
    let idents = form.fields.iter().map(|field| field.ident);
    let check = form.options.check.as_ref().map(|check| {
        let path = &check.value;
        quote_spanned! {path.span()=>
            let __check: fn(&Self) -> ::core::result::Result<(), #krate::Invalid> = #path;
            __check(&__value)?;
        }
    });
    quote! {
        fn decode(
            __json: &::core::primitive::str,
        ) -> ::core::result::Result<Self, #krate::Invalid> {
            let mut __values = [const { #krate::__private::Checked::Absent }; #len];
            let mut __answers =
                #krate::__private::Answers::read(__TABLE, __json, &mut __values);
            #(let #locals = #takes;)*
            let __value = __answers.finish((|| {
                ::core::option::Option::Some(Self { #(#idents: #locals?,)* })
            })())?;
            #check
            ::core::result::Result::Ok(__value)
        }
    }
}
