//! The user's item and its options as one view, which borrows the item, so that every rule can
//! point at the very token.

use proc_macro2::Span;
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, Ident, Path, Type, parse_quote};

use crate::attr::choice::{ChoiceOptions, VariantOptions};
use crate::attr::field::FieldOptions;
use crate::attr::form::FormOptions;
use crate::attr::given::{Given, doc};
use crate::case::{self, Case};
use crate::errors::Errors;

/// A text and where it stands.
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) span: Span,
}

impl Text {
    fn given(given: Option<&Given<syn::LitStr>>) -> Option<Self> {
        given.map(|it| Self {
            value: it.value.value(),
            span: it.value.span(),
        })
    }

    fn doc(attrs: &[syn::Attribute]) -> Option<Self> {
        doc(attrs).map(|(value, span)| Self { value, span })
    }
}

/// A struct with `#[derive(Elicit)]`.
pub(crate) struct Form<'a> {
    pub(crate) item: &'a DeriveInput,
    pub(crate) options: FormOptions,
    /// `::mcp_elicit`, or what `crate = ..` says.
    pub(crate) krate: Path,
    pub(crate) key: String,
    pub(crate) message: Option<Text>,
    pub(crate) fields: Vec<Field<'a>>,
}

/// One field of it.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) options: FieldOptions,
    pub(crate) name: Text,
    pub(crate) title: Text,
    pub(crate) description: Option<Text>,
    is_on_page: bool,
}

impl<'a> Form<'a> {
    pub(crate) fn new(item: &'a DeriveInput, errors: &mut Errors) -> Self {
        let options = FormOptions::read(&item.attrs, errors);
        let fields = match &item.data {
            Data::Struct(DataStruct {
                fields: Fields::Named(fields),
                ..
            }) => fields.named.iter().collect(),
            _ => Vec::new(),
        };
        let spell = |name: &str| match (&options.rename_all, options.serde_rename_all) {
            (Some(case), _) => case.value.apply(name),
            (None, Some(case)) => case.apply_to_field_as_serde(name),
            (None, None) => name.to_owned(),
        };
        Self {
            item,
            krate: krate(options.krate.as_ref()),
            key: match &options.key {
                Some(key) => key.value.value(),
                None => case::snake(&item.ident.unraw().to_string()),
            },
            message: Text::given(options.message.as_ref()).or_else(|| Text::doc(&item.attrs)),
            fields: fields
                .into_iter()
                .filter_map(|field| Field::new(field, &spell, options.page.is_some(), errors))
                .collect(),
            options,
        }
    }

    /// Whether it has choices that are known only at run time.
    pub(crate) fn has_selects(&self) -> bool {
        !self.is_page() && self.fields.iter().any(|it| it.options.select.is_some())
    }

    /// Whether it is asked on a page.
    pub(crate) const fn is_page(&self) -> bool {
        self.options.page.is_some()
    }
}

impl<'a> Field<'a> {
    fn new(
        field: &'a syn::Field,
        spell: &dyn Fn(&str) -> String,
        is_on_page: bool,
        errors: &mut Errors,
    ) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let options = FieldOptions::read(&field.attrs, errors);
        let plain = ident.unraw().to_string();
        Some(Self {
            name: match options.renamed() {
                Some(name) => Text {
                    value: name.value(),
                    span: name.span(),
                },
                None => Text {
                    value: spell(&plain),
                    span: ident.span(),
                },
            },
            title: Text::given(options.title.as_ref()).unwrap_or_else(|| Text {
                value: case::title(&plain),
                span: ident.span(),
            }),
            description: Text::given(options.description.as_ref())
                .or_else(|| Text::doc(&field.attrs)),
            ident,
            ty: &field.ty,
            options,
            is_on_page,
        })
    }

    /// The trait that says what the field's type takes, at the type.
    pub(crate) fn takes(&self) -> Ident {
        let options = &self.options;
        let name = match (&options.secret, &options.select, self.is_on_page) {
            (Some(_), _, _) => "SecretField",
            (None, Some(_), _) => "SelectField",
            (None, None, true) => "PageField",
            (None, None, false) => "FormField",
        };
        Ident::new(name, Span::call_site().located_at(self.ty.span()))
    }
}

/// An enum with `#[derive(Choice)]`.
pub(crate) struct Choice<'a> {
    pub(crate) item: &'a DeriveInput,
    pub(crate) krate: Path,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// One variant of it.
pub(crate) struct Variant<'a> {
    pub(crate) variant: &'a syn::Variant,
    pub(crate) value: Text,
    /// The label: given, else the doc comment without its full stop.
    pub(crate) title: Option<Text>,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(item: &'a DeriveInput, errors: &mut Errors) -> Self {
        let ChoiceOptions {
            rename_all,
            serde_rename_all,
            krate: path,
        } = ChoiceOptions::read(&item.attrs, errors);
        let spell = |name: &str| match (&rename_all, serde_rename_all) {
            (Some(case), _) => case.value.apply(name),
            (None, Some(case)) => case.apply_as_serde(name),
            (None, None) => Case::Snake.apply(name),
        };
        let variants = match &item.data {
            Data::Enum(DataEnum { variants, .. }) => variants.iter().collect(),
            _ => Vec::new(),
        };
        Self {
            item,
            krate: krate(path.as_ref()),
            variants: variants
                .into_iter()
                .map(|variant| Variant::new(variant, &spell, errors))
                .collect(),
        }
    }
}

impl<'a> Variant<'a> {
    fn new(variant: &'a syn::Variant, spell: &dyn Fn(&str) -> String, errors: &mut Errors) -> Self {
        let VariantOptions {
            title,
            rename,
            serde_rename,
        } = VariantOptions::read(&variant.attrs, errors);
        let renamed = rename.map(|it| it.value).or(serde_rename);
        Self {
            variant,
            value: Text {
                span: renamed
                    .as_ref()
                    .map_or_else(|| variant.ident.span(), syn::LitStr::span),
                value: renamed.map_or_else(
                    || spell(&variant.ident.unraw().to_string()),
                    |it| it.value(),
                ),
            },
            title: Text::given(title.as_ref()).or_else(|| {
                Text::doc(&variant.attrs).map(|doc| Text {
                    value: doc.value.strip_suffix('.').unwrap_or(&doc.value).to_owned(),
                    span: doc.span,
                })
            }),
        }
    }
}

/// `::mcp_elicit`, unless another path was given.
pub(crate) fn krate(given: Option<&Given<Path>>) -> Path {
    given.map_or_else(|| parse_quote!(::mcp_elicit), |it| it.value.clone())
}

/// The label of a variant that has none where others have.
pub(crate) fn title_of(variant: &Variant<'_>) -> String {
    variant.title.as_ref().map_or_else(
        || case::title(&variant.variant.ident.unraw().to_string()),
        |it| it.value.clone(),
    )
}

/// What stands for a text in generated code.
pub(crate) fn text_tokens(text: Option<&Text>) -> proc_macro2::TokenStream {
    let value = text.map_or("", |it| it.value.as_str());
    quote!(#value)
}
