//! Values of attributes as the library's `Literal`s.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit, Path};

use crate::attr::given::{literal, number, ungrouped};
use crate::check::bounds::{has_decimal, is_untyped};
use crate::expand::private;

/// The tokens of a value that `check` found sound; `None` for any other.
pub(crate) fn tokens(krate: &Path, expr: &Expr) -> Option<TokenStream> {
    let private = private(krate, expr.span());
    if let Some((negative, lit)) = number(expr) {
        return whole_or_decimal(&private, negative, lit);
    }
    match (ungrouped(expr), literal(expr)) {
        (_, Some(Lit::Str(text))) => Some(quote!(#private::Literal::Text(#text))),
        (_, Some(Lit::Bool(value))) => Some(quote!(#private::Literal::Boolean(#value))),
        (_, Some(_)) => None,
        (Expr::Array(list), _) => {
            let values = list.elems.iter();
            Some(quote!(#private::Literal::List(&[#(#values),*])))
        }
        (_, None) if is_untyped(expr) && has_decimal(expr) => Some(constant(
            &private,
            expr,
            &quote!((#expr) as ::core::primitive::f64),
        )),
        (_, None) if is_untyped(expr) => Some(constant(
            &private,
            expr,
            &quote!((#expr) as ::core::primitive::i128),
        )),
        (_, None) => Some(constant(&private, expr, &quote!(#expr))),
    }
}

/// A constant of the author's, which the compiler turns into text.
fn constant(private: &TokenStream, expr: &Expr, value: &TokenStream) -> TokenStream {
    // Away from the author's own names, but shown at the author's tokens.
    let here = Span::call_site().located_at(expr.span());
    quote_spanned! {here=> {
        #[allow(unused_imports)]
        use #private::NotWritten as _;
        const __WRITTEN: #private::Written = #private::Constant::new(#value).written();
        #private::Written::literal(&__WRITTEN)
    }}
}

fn whole_or_decimal(private: &TokenStream, negative: bool, lit: &Lit) -> Option<TokenStream> {
    let minus = negative.then(|| quote!(-));
    let decimal = |value: f64, text: String| {
        let text = if negative { format!("-{text}") } else { text };
        let value = Literal::f64_suffixed(value);
        quote!(#private::Num::new(#minus #value, #text))
    };
    match lit {
        Lit::Int(lit) => {
            let whole: i128 = lit.base10_parse().ok()?;
            let num = decimal(whole as f64, whole.to_string());
            let whole = Literal::i128_suffixed(whole);
            Some(quote!(#private::Literal::Whole(#minus #whole, #num)))
        }
        Lit::Float(lit) => {
            let value: f64 = lit.base10_parse().ok().filter(|v: &f64| v.is_finite())?;
            let num = decimal(value, format!("{value:?}"));
            Some(quote!(#private::Literal::Decimal(#num)))
        }
        _ => None,
    }
}
