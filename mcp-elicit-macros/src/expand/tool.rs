//! The code that makes one handler a tool, a prompt or a resource.

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Lit, ReturnType, Signature};

use crate::attr::given;
use crate::attr::tool::{Absent, Role, ToolOptions};
use crate::expand::{self, private};
use crate::handler::{Handler, Kind, Parameter};
use crate::words;

/// The value whose methods the tools are, in the code around them.
pub(crate) fn this() -> Ident {
    Ident::new("this", Span::mixed_site())
}

/// An expression of the type `Tool`, `Prompt` or `Resource`. `callee` is what the handler is called by; the value whose
/// method it is, if it is one, stands in [`this`].
pub(crate) fn expand(handler: &Handler<'_>, callee: &TokenStream) -> TokenStream {
    let schema = Ident::new("schema", Span::mixed_site());
    let gather = gather(handler, &schema);
    let start = start(handler, callee);
    let settings = settings(handler);
    let name = handler.name();
    let description = handler.description().unwrap_or_else(|| quote!(""));
    let (result, span) = match &handler.sig.output {
        ReturnType::Default => (
            quote_spanned!(handler.sig.ident.span()=> ()),
            handler.sig.ident.span(),
        ),
        ReturnType::Type(_, ty) => (ty.to_token_stream(), ty.span()),
    };
    // Spanned at the result: there the compiler says what a tool cannot return.
    let private = private(&handler.krate, span);
    let made = match handler.role {
        Role::Tool => {
            let make = match fills(handler).next() {
                Some(_) => quote!(make_filling),
                None => quote!(make),
            };
            let make = quote_spanned! {span=>
                #private::tool::#make::<#result, _, _>(#name, #description, #start)
            };
            quote!(#make.input_schema(#schema))
        }
        Role::Prompt => {
            let make = quote_spanned! {span=>
                #private::tool::make_prompt::<#result, _, _>(#name, #description, #start)
            };
            quote!(#make.arguments(#schema))
        }
        Role::Resource => {
            let uri = handler.options.uri.as_ref();
            let uri = uri.map_or_else(|| quote!(""), ToTokens::to_token_stream);
            let mime = match &handler.options.mime {
                Some(mime) => {
                    let mime = &mime.value;
                    quote!(::core::option::Option::Some(#mime))
                }
                None => quote!(::core::option::Option::None),
            };
            let make = quote_spanned! {span=>
                #private::tool::make_resource::<#result, _, _>(#uri, #name, #mime, #start)
            };
            quote!(#make.description(#description).variables(#schema))
        }
    };
    quote! {{
        #gather
        #made #settings
    }}
}

/// Statements that make the schema, and for each parameter what reads it. The bound on a
/// parameter's type stands here alone, so that a type that lacks something is reported once.
fn gather(handler: &Handler<'_>, schema: &Ident) -> TokenStream {
    let whole = handler
        .parameters
        .iter()
        .enumerate()
        .find_map(|(i, it)| match it.kind {
            Kind::Whole(ty) => Some((slot(i), ty)),
            _ => None,
        });
    if let Some((slot, ty)) = whole {
        let private = private(&handler.krate, ty.span());
        let read = quote_spanned!(ty.span()=> #private::tool::whole::<#ty>());
        return quote!(let (#schema, #slot) = #read;);
    }
    let parameters = Ident::new("parameters", Span::mixed_site());
    let slots = values(handler).map(|(i, parameter)| {
        let slot = slot(i);
        let ty = &parameter.typed.ty;
        let name = parameter.name().map(|(name, _)| name).unwrap_or_default();
        let description = parameter.description();
        let private = private(&handler.krate, ty.span());
        let add = match (&parameter.kind, &parameter.options.default) {
            (Kind::Fill(form), _) => {
                let private = expand::private(&handler.krate, form.span());
                quote_spanned! {form.span()=>
                    #private::tool::Parameters::add_fill::<#form>(&mut #parameters, #name, #description)
                }
            }
            (_, None) => quote_spanned! {ty.span()=>
                #private::tool::Parameters::add::<#ty>(&mut #parameters, #name, #description)
            },
            (_, Some(default)) => {
                let value = match &default.value {
                    Absent::OfType => {
                        quote_spanned!(default.key.span()=> ::core::default::Default::default())
                    }
                    Absent::Value(value) => written(value),
                };
                let default = quote!(|| {
                    let value: #ty = #value;
                    ::core::option::Option::Some(value)
                });
                quote_spanned! {ty.span()=>
                    #private::tool::Parameters::add_or::<#ty>(&mut #parameters, #name, #description, #default)
                }
            }
        };
        let in_header = parameter.options.header.as_ref().map(|it| {
            let header = &it.value;
            quote!(#parameters.in_header(#header);)
        });
        let titled = parameter.options.title.as_ref().map(|it| {
            let title = &it.value;
            quote!(#parameters.titled(#title);)
        });
        quote!(let #slot = #add; #in_header #titled)
    });
    let krate = &handler.krate;
    let finish = match handler.role {
        Role::Tool => quote!(finish()),
        Role::Prompt | Role::Resource => {
            let completers = values(handler).filter_map(|(_, parameter)| {
                let path = &parameter.options.complete.as_ref()?.value;
                let (name, _) = parameter.name()?;
                let of = quote_spanned!(path.span()=> #krate::Completer::of(#path));
                Some(quote!((#name, #of)))
            });
            quote!(finish_texts(::std::vec::Vec::from([#(#completers),*])))
        }
    };
    quote! {
        let mut #parameters = #krate::__private::tool::Parameters::new();
        #(#slots)*
        let #schema = #parameters.#finish;
    }
}

/// A default as it was written; a text becomes whatever owns it.
fn written(value: &Expr) -> TokenStream {
    match given::literal(value) {
        Some(Lit::Str(text)) => quote_spanned!(text.span()=> ::core::convert::Into::into(#text)),
        _ => value.to_token_stream(),
    }
}

/// The closure that reads the arguments and starts the call.
fn start(handler: &Handler<'_>, callee: &TokenStream) -> TokenStream {
    let cx = Ident::new("cx", Span::mixed_site());
    let arguments = Ident::new("arguments", Span::mixed_site());
    let read = read(handler, &arguments);
    let inputs = handler
        .sig
        .inputs
        .iter()
        .filter(|it| matches!(it, FnArg::Receiver(_)));
    let receiver = inputs
        .map(|it| at(&this(), it.span()))
        .map(|it| quote!(&#it));
    let passed = handler.parameters.iter().enumerate().map(|(i, parameter)| {
        // Spanned at the type: there the compiler says that it should have been another.
        let span = parameter.typed.ty.span();
        match parameter.kind {
            Kind::Cx => {
                let cx = at(&cx, span);
                quote_spanned!(span=> &#cx)
            }
            _ => at(&slot(i), span).to_token_stream(),
        }
    });
    let passed = receiver.chain(passed);
    // One for the tool, and from that one for each call.
    let share = handler.is_method().then(|| {
        let this = this();
        quote!(let #this = ::core::clone::Clone::clone(&#this);)
    });
    // Spanned at the name: there the compiler says what keeps the call from being sent to a thread.
    let span = Span::mixed_site().located_at(handler.sig.ident.span());
    let krate = expand::at(&handler.krate, span);
    let mut call = quote_spanned!(span=> #callee(#(#passed),*).await);
    let slots: Vec<_> = fills(handler).map(|(i, _)| slot(i)).collect();
    let completed: Vec<_> = fills(handler)
        .map(|(i, parameter)| {
            let slot = slot(i);
            let name = parameter.name().map(|(name, _)| name).unwrap_or_default();
            let key = format!("fill.{name}");
            quote!(#krate::__private::tool::Filling::complete(#slot, &#cx, #key))
        })
        .collect();
    call = match (slots.as_slice(), completed.as_slice()) {
        ([], _) => call,
        ([slot], [completed]) => quote_spanned! {span=>
            let #slot = #completed.await?;
            ::core::result::Result::Ok(#call)
        },
        // All at once, so that the user is asked once.
        _ => quote_spanned! {span=>
            let (#(#slots),*) = #krate::__private::tool::try_join!(#(#completed),*)?;
            ::core::result::Result::Ok(#call)
        },
    };
    quote_spanned! {span=> {
        #share
        move |#cx: #krate::Cx, #arguments: ::core::option::Option<&#krate::__private::tool::RawValue>| {
            #read
            #share
            ::core::result::Result::<_, #krate::BadArguments>::Ok(async move {
                // Moved in even where the handler does not take it: it belongs to the call.
                let #cx = #cx;
                #call
            })
        }
    }}
}

/// Statements that read every argument under the name of its slot, or leave with all problems.
fn read(handler: &Handler<'_>, arguments: &Ident) -> TokenStream {
    // Paths, not methods: a trait of the author's could have one of the same name for every type.
    let krate = &handler.krate;
    let whole = handler
        .parameters
        .iter()
        .position(|it| matches!(it.kind, Kind::Whole(_)));
    if let Some(i) = whole {
        let slot = slot(i);
        return quote!(let #slot = #krate::__private::tool::Whole::take(&#slot, #arguments)?;);
    }
    let given = Ident::new("given", Span::mixed_site());
    let slots: Vec<_> = values(handler).map(|(i, _)| slot(i)).collect();
    let names = values(handler).map(|(_, it)| it.name().map(|(name, _)| name).unwrap_or_default());
    let take = match slots.is_empty() {
        true => TokenStream::new(),
        false => quote! {
            let (#(#slots,)*) = (#(#krate::__private::tool::Given::take(&mut #given, &#slots),)*);
            let (#(::core::option::Option::Some(#slots),)*) = (#(#slots,)*) else {
                return ::core::result::Result::Err(#given.refuse());
            };
        },
    };
    let find = match handler.role {
        Role::Tool => quote!(find),
        Role::Prompt | Role::Resource => quote!(find_texts),
    };
    quote! {
        let mut #given = #krate::__private::tool::Given::#find(#arguments, &[#(#names),*]);
        #take
        #given.finish()?;
    }
}

/// The calls that set what the attribute says.
fn settings(handler: &Handler<'_>) -> TokenStream {
    let ToolOptions {
        uri: _,
        mime: _,
        name: _,
        title,
        description: _,
        read_only,
        destructive,
        idempotent,
        open_world,
        icon,
        only_if,
        input_schema,
        output_schema,
        ttl,
        shared,
        asks,
        single_use,
        rev,
        krate: _,
    } = &handler.options;
    let mut out = TokenStream::new();
    if let Some(title) = title {
        let title = &title.value;
        out.extend(quote!(.title(#title)));
    }
    let hints = [
        (words::READ_ONLY, read_only),
        (words::DESTRUCTIVE, destructive),
        (words::IDEMPOTENT, idempotent),
        (words::OPEN_WORLD, open_world),
    ];
    for (word, hint) in hints {
        if let Some(hint) = hint {
            let setter = format_ident!("{word}");
            let yes = hint.value;
            out.extend(quote!(.#setter(#yes)));
        }
    }
    let values = [
        (words::ICON, icon),
        (words::ONLY_IF, only_if),
        (words::INPUT_SCHEMA, input_schema),
        (words::OUTPUT_SCHEMA, output_schema),
        (words::TTL, ttl),
    ];
    for (word, value) in values {
        if let Some(value) = value {
            // Spanned at the value: there the compiler says that it is of another type.
            let setter = format_ident!("{word}", span = value.value.span());
            let value = &value.value;
            out.extend(quote!(.#setter(#value)));
        }
    }
    if shared.is_some() {
        out.extend(quote!(.shared()));
    }
    if let Some(asks) = asks.as_ref().filter(|it| !it.value.is_empty()) {
        let needs = asks.value.iter().map(|ty| {
            let krate = expand::at(&handler.krate, ty.span());
            quote_spanned!(ty.span()=> <#ty as #krate::InAsks>::need())
        });
        out.extend(quote!(.asks([#(#needs),*])));
    }
    if single_use.is_some() {
        out.extend(quote!(.single_use()));
    }
    if let Some(rev) = rev {
        let rev = &rev.value;
        out.extend(quote!(.rev(#rev)));
    }
    let fingerprint = Literal::u64_suffixed(fingerprint(handler));
    quote!(#out.fingerprint(#fingerprint))
}

/// The parameters that are one argument each.
fn values<'h, 'a>(handler: &'h Handler<'a>) -> impl Iterator<Item = (usize, &'h Parameter<'a>)> {
    let all = handler.parameters.iter().enumerate();
    all.filter(|(_, it)| matches!(it.kind, Kind::Value | Kind::Fill(_)))
}

/// Those of them that the user completes.
fn fills<'h, 'a>(handler: &'h Handler<'a>) -> impl Iterator<Item = (usize, &'h Parameter<'a>)> {
    values(handler).filter(|(_, it)| matches!(it.kind, Kind::Fill(_)))
}

fn slot(index: usize) -> Ident {
    format_ident!("p{index}", span = Span::mixed_site())
}

/// The same name, shown at `span` in errors.
fn at(ident: &Ident, span: Span) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(ident.span().located_at(span));
    ident
}

/// A number that is another one when the code of the handler is. Blanks, comments and doc comments
/// do not count; it is the same in every build of the same code.
fn fingerprint(handler: &Handler<'_>) -> u64 {
    let mut sig: Signature = handler.sig.clone();
    super::tools::strip(&mut sig);
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.tokens(sig.to_token_stream());
    hash.tokens(handler.block.to_token_stream());
    hash.0
}

/// FNV-1a: short, and no secret depends on it.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        // The end mark keeps `a b` and `ab` apart.
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let (open, close): (&[u8], &[u8]) = match group.delimiter() {
                        Delimiter::Parenthesis => (b"(", b")"),
                        Delimiter::Brace => (b"{", b"}"),
                        Delimiter::Bracket => (b"[", b"]"),
                        Delimiter::None => (b"", b""),
                    };
                    self.bytes(open);
                    self.tokens(group.stream());
                    self.bytes(close);
                }
                other => self.bytes(other.to_string().as_bytes()),
            }
        }
    }
}
