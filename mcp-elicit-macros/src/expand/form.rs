//! The impls of a form or page.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Form, text_tokens};
use crate::check::page;
use crate::expand::{decode, each_value, select, table};

pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let fields = table::fields(form);
    let declaration = if form.is_page() {
        page_declaration(form)
    } else {
        form_declaration(form)
    };
    let decode = decode::expand(form);
    let each_value = each_value::expand(form);
    let options = select::options_type(form);
    let (decode, select_mode) = if form.has_selects() {
        (select::plain_decode(form), select::mode(form, &decode))
    } else {
        (decode, TokenStream::new())
    };
    let mode = mode(form);
    let fillable = fillable(form, &quote!(), &quote!(), &quote!());
    quote! {
        const __TABLE: &#krate::__private::FormTable<'static> =
            &#krate::__private::FormTable::new(&[#(#fields),*]);
        #declaration
        #[automatically_derived]
        impl #krate::Elicit for #ident {
            type Options = #options;

            fn declaration() -> &'static #krate::__private::Declaration {
                &__DECLARATION
            }

            #decode
            #each_value
        }
        #[automatically_derived]
        impl #krate::__private::#mode for #ident {}
        #fillable
        #select_mode
    }
}

/// The marker of a form that a model may fill in.
pub(crate) fn fillable(
    form: &Form<'_>,
    impl_generics: &TokenStream,
    ty_generics: &TokenStream,
    where_clause: &TokenStream,
) -> TokenStream {
    if form.is_page() || form.has_selects() || form.options.guarded.is_some() {
        return TokenStream::new();
    }
    let krate = &form.krate;
    let ident = &form.item.ident;
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::__private::Fillable for #ident #ty_generics #where_clause {}
    }
}

/// The marker of the item's mode.
pub(crate) fn mode(form: &Form<'_>) -> TokenStream {
    if form.is_page() {
        quote!(PageMode)
    } else {
        quote!(FormMode)
    }
}

fn form_declaration(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let key = &form.key;
    let message = text_tokens(form.message.as_ref());
    let guarded = form.options.guarded.is_some();
    let fields = form.fields.len();
    quote! {
        const __MESSAGE: &::core::primitive::str = #message;
        static __REQUEST: #krate::__private::Request<
            { #krate::__private::request_len(__MESSAGE, __TABLE) },
            #fields,
        > = #krate::__private::Request::new(__MESSAGE, __TABLE);
        static __DECLARATION: #krate::__private::Declaration =
            #krate::__private::Declaration::form::<#ident>(
                #key,
                __MESSAGE,
                __TABLE,
                __REQUEST.text(),
                __REQUEST.marks(),
                #guarded,
            );
    }
}

fn page_declaration(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let ident = &form.item.ident;
    let key = &form.key;
    let message = text_tokens(form.message.as_ref());
    let url = form.options.url.as_ref().map(|it| it.value.value());
    let name = url.as_deref().and_then(page::name).unwrap_or_default();
    let keep = form.options.keep.as_ref().map(|it| it.value.value());
    let keep = match keep.as_deref().and_then(page::keep) {
        Some(page::Keep::Process) => quote!(Process),
        Some(page::Keep::Seconds(seconds)) => {
            quote!(For(::core::time::Duration::from_secs(#seconds)))
        }
        Some(page::Keep::UntilRemoved) | None => quote!(UntilRemoved),
    };
    let fallback = if form.options.fallback.is_some() {
        quote!(Address)
    } else {
        quote!(None)
    };
    quote! {
        static __DECLARATION: #krate::__private::Declaration =
            #krate::__private::Declaration::page::<#ident>(
                #key,
                #message,
                __TABLE,
                #name,
                #krate::__private::Keep::#keep,
                #krate::__private::Fallback::#fallback,
            );
    }
}
