//! What a type makes of an argument that is left out, and which fields it has.
//!
//! Both are asked of the type's own `Deserialize`, so that an alias of `Option` is as good as the
//! word itself. It uses nothing else of the crate.

use serde::Deserialize;
use serde::de::value::Error;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The value of `T` for an argument that is not there: `None` for an `Option`, and nothing at all
/// for a type that needs a value.
pub(crate) fn value<'de, T: Deserialize<'de>>() -> Option<T> {
    T::deserialize(Absent).ok()
}

/// The fields of the struct `T` as its answers name them, in their order; none for other types.
pub(crate) fn fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields: &[&str] = &[];
    // It always fails, for there is no value: what counts is what `T` asked for.
    let _ = T::deserialize(Fields(&mut fields));
    fields
}

struct Absent;

impl<'de> Deserializer<'de> for Absent {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("only the names of the fields are wanted"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_option_can_do_without_a_value() {
        type Maybe = Option<u8>;
        #[derive(Deserialize)]
        struct Wrapped(#[expect(dead_code, reason = "only its shape counts")] Option<u8>);
        assert_eq!(value::<Maybe>(), Some(None));
        assert!(value::<Wrapped>().is_some());
        assert!(value::<u8>().is_none());
        assert!(value::<()>().is_none());
        assert!(value::<Vec<u8>>().is_none());
        assert!(value::<serde_json::Value>().is_none());
    }

    #[test]
    fn fields_keep_their_order() {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[expect(dead_code, reason = "only its shape counts")]
        struct Trip {
            to_city: String,
            from: String,
        }
        assert_eq!(fields::<Trip>(), ["toCity", "from"]);
        assert!(fields::<String>().is_empty());
    }
}
