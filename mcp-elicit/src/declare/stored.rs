//! A copy of a table that can be stored, so that any process can show the page it belongs to, also
//! one of another build.
//!
//! It is JSON: a row outlives builds, and a field that a later build adds must not make it
//! unreadable.

use serde::{Deserialize, Serialize};

use super::table::{DefaultValue, Field, FormTable, Format, Kind, Num, Opt};

/// A table read from a store.
///
/// ```
/// use mcp_elicit::Elicit;
/// use mcp_elicit::declare::StoredTable;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct Guest {
///     name: String,
/// }
///
/// let table = Guest::declaration().table();
/// let stored = StoredTable::decode(&StoredTable::encode(table)).unwrap();
/// assert!(stored.with(|copy| copy == table));
/// ```
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredTable {
    fields: Vec<StoredField>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredField {
    name: String,
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    kind: StoredKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<StoredDefault>,
    required: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    enum_names: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredKind {
    Text {
        min_length: Option<u32>,
        max_length: Option<u32>,
        format: Option<StoredFormat>,
    },
    Integer {
        min: i64,
        max: i64,
    },
    Number {
        min: Option<StoredNum>,
        max: Option<StoredNum>,
    },
    Boolean,
    One(Vec<StoredOpt>),
    Several {
        options: Vec<StoredOpt>,
        min_items: Option<u32>,
        max_items: Option<u32>,
    },
    Secret {
        multiline: bool,
    },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StoredFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredNum {
    value: f64,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredOpt {
    value: String,
    title: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredDefault {
    Text(String),
    Integer(i64),
    Number(StoredNum),
    Boolean(bool),
    Several(Vec<String>),
}

impl StoredTable {
    /// The bytes to store for `table`.
    #[must_use]
    pub fn encode(table: &FormTable<'_>) -> Vec<u8> {
        let fields = table.fields.iter().map(StoredField::of).collect();
        // Plain data with texts as keys is always JSON.
        serde_json::to_vec(&Self { fields }).unwrap_or_default()
    }

    /// The table that was stored; `None` if these bytes hold none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Calls `f` with a view of it, of the type that a declaration has.
    pub fn with<R>(&self, f: impl FnOnce(&FormTable<'_>) -> R) -> R {
        let lists: Vec<Lists<'_>> = self.fields.iter().map(Lists::of).collect();
        let fields: Vec<Field<'_>> = self
            .fields
            .iter()
            .zip(&lists)
            .map(|(field, lists)| field.view(lists))
            .collect();
        f(&FormTable::new(&fields))
    }
}

/// The lists that a view of one field borrows.
struct Lists<'a> {
    options: Vec<Opt<'a>>,
    defaults: Vec<&'a str>,
}

impl<'a> Lists<'a> {
    fn of(field: &'a StoredField) -> Self {
        let options = match &field.kind {
            StoredKind::One(options) | StoredKind::Several { options, .. } => options.as_slice(),
            _ => &[],
        };
        let defaults = match &field.default {
            Some(StoredDefault::Several(values)) => values.as_slice(),
            _ => &[],
        };
        Self {
            options: options
                .iter()
                .map(|it| Opt::new(&it.value, it.title.as_deref()))
                .collect(),
            defaults: defaults.iter().map(String::as_str).collect(),
        }
    }
}

impl StoredField {
    fn of(field: &Field<'_>) -> Self {
        Self {
            name: field.name.to_owned(),
            title: field.title.to_owned(),
            description: field.description.to_owned(),
            kind: StoredKind::of(field.kind),
            default: field.default.map(StoredDefault::of),
            required: field.required,
            enum_names: field.enum_names,
        }
    }

    fn view<'a>(&'a self, lists: &'a Lists<'a>) -> Field<'a> {
        let kind = self.kind.view(lists);
        let mut field = Field::new(
            &self.name,
            &self.title,
            &self.description,
            kind,
            self.required,
        );
        field.default = self.default.as_ref().map(|it| it.view(lists));
        field.enum_names = self.enum_names;
        field
    }
}

impl StoredKind {
    fn of(kind: Kind<'_>) -> Self {
        match kind {
            Kind::Text {
                min_length,
                max_length,
                format,
            } => Self::Text {
                min_length,
                max_length,
                format: format.map(StoredFormat::of),
            },
            Kind::Integer { min, max } => Self::Integer { min, max },
            Kind::Number { min, max } => Self::Number {
                min: min.map(StoredNum::of),
                max: max.map(StoredNum::of),
            },
            Kind::Boolean => Self::Boolean,
            Kind::One(options) => Self::One(StoredOpt::all(options)),
            Kind::Several {
                options,
                min_items,
                max_items,
            } => Self::Several {
                options: StoredOpt::all(options),
                min_items,
                max_items,
            },
            Kind::Secret { multiline } => Self::Secret { multiline },
        }
    }

    fn view<'a>(&'a self, lists: &'a Lists<'a>) -> Kind<'a> {
        match self {
            Self::Text {
                min_length,
                max_length,
                format,
            } => Kind::Text {
                min_length: *min_length,
                max_length: *max_length,
                format: format.map(StoredFormat::view),
            },
            Self::Integer { min, max } => Kind::Integer {
                min: *min,
                max: *max,
            },
            Self::Number { min, max } => Kind::Number {
                min: min.as_ref().map(StoredNum::view),
                max: max.as_ref().map(StoredNum::view),
            },
            Self::Boolean => Kind::Boolean,
            Self::One(_) => Kind::One(&lists.options),
            Self::Several {
                options: _,
                min_items,
                max_items,
            } => Kind::Several {
                options: &lists.options,
                min_items: *min_items,
                max_items: *max_items,
            },
            Self::Secret { multiline } => Kind::Secret {
                multiline: *multiline,
            },
        }
    }
}

impl StoredFormat {
    const fn of(format: Format) -> Self {
        match format {
            Format::Email => Self::Email,
            Format::Uri => Self::Uri,
            Format::Date => Self::Date,
            Format::DateTime => Self::DateTime,
        }
    }

    const fn view(self) -> Format {
        match self {
            Self::Email => Format::Email,
            Self::Uri => Format::Uri,
            Self::Date => Format::Date,
            Self::DateTime => Format::DateTime,
        }
    }
}

impl StoredNum {
    fn of(num: Num<'_>) -> Self {
        Self {
            value: num.value,
            text: num.text.to_owned(),
        }
    }

    fn view(&self) -> Num<'_> {
        Num::new(self.value, &self.text)
    }
}

impl StoredOpt {
    fn all(options: &[Opt<'_>]) -> Vec<Self> {
        options
            .iter()
            .map(|it| Self {
                value: it.value.to_owned(),
                title: it.title.map(str::to_owned),
            })
            .collect()
    }
}

impl StoredDefault {
    fn of(default: DefaultValue<'_>) -> Self {
        match default {
            DefaultValue::Text(text) => Self::Text(text.to_owned()),
            DefaultValue::Integer(value) => Self::Integer(value),
            DefaultValue::Number(value) => Self::Number(StoredNum::of(value)),
            DefaultValue::Boolean(value) => Self::Boolean(value),
            DefaultValue::Several(values) => {
                Self::Several(values.iter().map(|it| (*it).to_owned()).collect())
            }
        }
    }

    fn view<'a>(&'a self, lists: &'a Lists<'a>) -> DefaultValue<'a> {
        match self {
            Self::Text(text) => DefaultValue::Text(text),
            Self::Integer(value) => DefaultValue::Integer(*value),
            Self::Number(value) => DefaultValue::Number(value.view()),
            Self::Boolean(value) => DefaultValue::Boolean(*value),
            Self::Several(_) => DefaultValue::Several(&lists.defaults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back_as_it_was() {
        let options = [Opt::new("a", Some("A")), Opt::new("b", Some("B"))];
        let half = Num::new(0.5, "0.5");
        let kinds = [
            Kind::Text {
                min_length: Some(1),
                max_length: None,
                format: Some(Format::DateTime),
            },
            Kind::Integer { min: -1, max: 9 },
            Kind::Number {
                min: Some(half),
                max: None,
            },
            Kind::Boolean,
            Kind::One(&options),
            Kind::Several {
                options: &options,
                min_items: None,
                max_items: Some(2),
            },
            Kind::Secret { multiline: true },
        ];
        let defaults = [
            Some(DefaultValue::Text("t")),
            Some(DefaultValue::Integer(3)),
            Some(DefaultValue::Number(half)),
            Some(DefaultValue::Boolean(true)),
            Some(DefaultValue::Text("b")),
            Some(DefaultValue::Several(&["b", "a"])),
            None,
        ];
        let fields: Vec<_> = kinds
            .into_iter()
            .zip(defaults)
            .map(|(kind, default)| {
                let mut field = Field::new("name", "Title", "\"text\"\n", kind, default.is_none());
                field.default = default;
                field
            })
            .collect();
        let table = FormTable::new(&fields);
        let stored = StoredTable::decode(&StoredTable::encode(&table)).unwrap();
        assert!(stored.with(|copy| *copy == table));
    }

    #[test]
    fn other_bytes_are_no_table() {
        for bytes in [&b""[..], b"{}", b"[]", b"{\"fields\":[{}]}"] {
            assert!(StoredTable::decode(bytes).is_none());
        }
    }
}
