//! The way back from a value, field by field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ast::Form;
use crate::expand::private;

/// `Elicit::each_value`. One call per field and no list: that is what costs the compiler least.
pub(crate) fn expand(form: &Form<'_>) -> TokenStream {
    let krate = &form.krate;
    let each = form.fields.iter().map(|field| {
        let (ty, ident) = (field.ty, field.ident);
        let private = private(krate, ty.span());
        let takes = field.takes();
        let to_checked = quote_spanned!(ty.span()=> <#ty as #private::#takes>::to_checked);
        quote!(__each(#to_checked(&self.#ident));)
    });
    quote! {
        fn each_value(&self, __each: &mut dyn ::core::ops::FnMut(#krate::__private::Checked<'_>)) {
            #(#each)*
        }
    }
}
