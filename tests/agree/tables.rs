//! Random tables: any that the compiler would let pass, with texts of any characters.

use std::collections::BTreeSet;

use mcp_elicit::declare::{DefaultValue, Field, FormTable, Format, Kind, Num, Opt};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

pub const FORMATS: [Format; 4] = [Format::Email, Format::Uri, Format::Date, Format::DateTime];
/// The greatest whole number that every JSON client keeps.
const EXACT: i64 = (1 << 53) - 1;

/// A table lives as long as its program, and so do these.
fn leak<T: ?Sized>(it: impl Into<Box<T>>) -> &'static T {
    Box::leak(it.into())
}

/// A text in which any character may be.
pub fn words() -> impl Strategy<Value = String> {
    let odd = "\"\\/\n\r\t\0\u{1f}\u{7f}\u{85}\u{2028} éß名😀\u{301}\u{202e}\u{feff}\u{10ffff}";
    let char = prop_oneof![
        4 => prop::char::range('a', 'z'),
        1 => select(odd.chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    vec(char, 1..8).prop_map(String::from_iter)
}

fn wire_name() -> impl Strategy<Value = String> {
    words().prop_filter("no wire name is blank", |it| !it.trim().is_empty())
}

fn text() -> impl Strategy<Value = &'static str> {
    words().prop_map(leak::<str>)
}

fn options() -> impl Strategy<Value = &'static [Opt<'static>]> {
    let titles = option::of(vec(text(), 5));
    (btree_set(wire_name(), 1..6), titles).prop_map(|(values, titles)| {
        let title = |i: usize| titles.as_ref().map(|it| it[i]);
        let options = values.into_iter().enumerate();
        leak(Vec::from_iter(
            options.map(|(i, value)| Opt::new(leak::<str>(value), title(i))),
        ))
    })
}

fn whole() -> impl Strategy<Value = i64> {
    let ends = [-EXACT, i64::from(i32::MIN), 0, i64::from(u32::MAX), EXACT];
    prop_oneof![-300_i64..300, select(ends.to_vec()), -EXACT..=EXACT]
}

/// A decimal as an author writes one.
fn decimal() -> impl Strategy<Value = Num<'static>> {
    let value = prop_oneof![
        (-4000_i32..4000).prop_map(|it| f64::from(it) / 8.0),
        (-9999_i32..9999).prop_map(|it| f64::from(it) / 100.0),
    ];
    let whole = (-300_i32..300).prop_map(|it| Num::new(it.into(), leak::<str>(it.to_string())));
    prop_oneof![
        value.prop_map(|it| Num::new(it, leak::<str>(format!("{it:?}")))),
        whole
    ]
}

fn kind() -> impl Strategy<Value = Kind<'static>> {
    let lengths = (option::of(0_u32..5), option::of(0_u32..8));
    let format = option::weighted(0.4, select(FORMATS.to_vec()));
    let text = (lengths, format).prop_map(|((min, more), format)| {
        // What has a format is longer than other samples.
        let scale = if format.is_some() { 5 } else { 1 };
        Kind::Text {
            min_length: min.map(|min| min * scale),
            max_length: more.map(|more| (min.unwrap_or(0) + more) * scale),
            format,
        }
    });
    let integer = (whole(), whole()).prop_map(|(a, b)| Kind::Integer {
        min: a.min(b),
        max: a.max(b),
    });
    let number = (option::of(decimal()), option::of(decimal())).prop_map(|it| match it {
        (Some(a), Some(b)) if a.value > b.value => Kind::Number {
            min: Some(b),
            max: Some(a),
        },
        (min, max) => Kind::Number { min, max },
    });
    let items = (option::of(0..=5_u32), option::of(1..=5_u32));
    let several = (options(), items).prop_map(|(options, (min, max))| {
        let most = options.len() as u32;
        let min_items = min.map(|min| min.min(most));
        Kind::Several {
            options,
            min_items,
            max_items: max.map(|max| max.min(most).max(min_items.unwrap_or(0))),
        }
    });
    prop_oneof![
        2 => text,
        2 => integer,
        1 => number,
        1 => Just(Kind::Boolean),
        1 => options().prop_map(Kind::One),
        2 => several,
    ]
}

/// A default within the bounds, if one is easily found.
fn default(kind: Kind<'static>) -> BoxedStrategy<Option<DefaultValue<'static>>> {
    match kind {
        Kind::Text {
            min_length,
            max_length,
            format: None,
        } => {
            let len = min_length.unwrap_or(1).max(1);
            let fits = max_length.is_none_or(|max| len <= max);
            let text = leak::<str>("é".repeat(len as usize));
            Just(fits.then_some(DefaultValue::Text(text))).boxed()
        }
        Kind::Integer { min, max } => (min..=max)
            .prop_map(|it| Some(DefaultValue::Integer(it)))
            .boxed(),
        Kind::Number { min, max } => Just(min.or(max).map(DefaultValue::Number)).boxed(),
        Kind::Boolean => any::<bool>()
            .prop_map(|it| Some(DefaultValue::Boolean(it)))
            .boxed(),
        Kind::One(options) => select(options)
            .prop_map(|it| Some(DefaultValue::Text(it.value)))
            .boxed(),
        Kind::Several {
            options,
            min_items,
            max_items,
        } => {
            let least = min_items.unwrap_or(0) as usize;
            let most = max_items.map_or(options.len(), |it| it as usize);
            let values: Vec<_> = options.iter().map(|it| it.value).collect();
            subsequence(values, least..=most)
                .prop_map(|it| Some(DefaultValue::Several(leak(it))))
                .boxed()
        }
        _ => Just(None).boxed(),
    }
}

/// A field of any kind.
pub fn field() -> impl Strategy<Value = Field<'static>> {
    let name = wire_name().prop_map(leak::<str>);
    let description = option::of(text()).prop_map(Option::unwrap_or_default);
    let kind = kind().prop_flat_map(|kind| (Just(kind), option::weighted(0.3, default(kind))));
    (name, text(), description, kind, any::<bool>()).prop_map(
        |(name, title, description, (kind, default), required)| {
            let default = default.flatten();
            let is_required = required && default.is_none();
            let mut field = Field::new(name, title, description, kind, is_required);
            field.default = default;
            field
        },
    )
}

/// A form of up to eight fields.
pub fn table() -> impl Strategy<Value = FormTable<'static>> {
    vec(field(), 1..8).prop_map(|mut fields| {
        let mut seen = BTreeSet::new();
        fields.retain(|field| seen.insert(field.name));
        FormTable::new(leak(fields))
    })
}
