//! The function that takes the checked values, field by field.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::Form;
use crate::expand::{self, private};

/// `Elicit::decode`, or `SelectMode::decode_with` of a form with choices of run time.
pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let len = form.fields.len();
    let locals: Vec<_> = (0..len).map(|i| format_ident!("__field_{i}")).collect();
    let takes = form.fields.iter().enumerate().map(|(index, field)| {
        let ty = field.ty;
        let private = private(krate, ty.span());
        if field.options.select.is_some() {
            let take = quote_spanned!(ty.span()=> <#ty as #private::SelectField>::from_chosen);
            return quote!(__answers.take_select(#index, #take));
        }
        let takes = field.takes();
        let take = quote_spanned!(ty.span()=> <#ty as #private::#takes>::from_checked);
        // A path, not a method: a trait of the author's could have one of the same name for every type.
        quote!(#krate::__private::Answers::take(&mut __answers, #index, #take))
    });
    let idents = form.fields.iter().map(|field| field.ident);
    let check = form.options.check.as_ref().map(|check| {
        let path = &check.value;
        // A path that a macro of the author's wrote sees other locals than the code around it.
        let here = Span::call_site().located_at(path.span());
        let krate = expand::at(krate, path.span());
        quote_spanned! {here=>
            let __check: fn(&Self) -> ::core::result::Result<(), #krate::Invalid> = #path;
            __check(&__value)?;
        }
    });
    let (name, table, parameter) = if form.has_selects() {
        let parameter = quote!(__table: &#krate::__private::FormTable<'_>,);
        (quote!(decode_with), quote!(__table), parameter)
    } else {
        (quote!(decode), quote!(__TABLE), TokenStream::new())
    };
    quote! {
        fn #name(
            __json: &::core::primitive::str,
            #parameter
        ) -> ::core::result::Result<Self, #krate::Invalid> {
            let mut __values = [const { #krate::__private::Checked::Absent }; #len];
            let mut __answers =
                #krate::__private::Answers::read(#table, __json, &mut __values);
            #(let #locals = #takes;)*
            let __value = __answers.finish((|| {
                ::core::option::Option::Some(Self { #(#idents: #locals?,)* })
            })())?;
            #check
            ::core::result::Result::Ok(__value)
        }
    }
}
