//! Reading JSON objects in one borrowed pass.
//!
//! serde's derive also takes an array for a struct, by position, and lets a later member of the
//! same name fail late. A peer could make a request mean two things with either, so the structs of
//! this module come from a macro that takes objects only and refuses repeated members.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A member that keeps "absent" apart from "null".
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Raw<'a>(pub(crate) Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(d).map(|raw| Self(Some(raw)))
    }
}

impl<'a> Raw<'a> {
    /// The JSON text, or `None` where the member is absent or null.
    pub(crate) fn some(self) -> Option<&'a str> {
        self.value().map(RawValue::get)
    }

    /// The value, or `None` where the member is absent or null.
    pub(crate) fn value(self) -> Option<&'a RawValue> {
        self.0.filter(|value| value.get() != "null")
    }
}

/// A string, borrowed unless it has escapes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        d.deserialize_str(Read)
    }
}

/// An object whose members say nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AnyObject;

impl<'de> Deserialize<'de> for AnyObject {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = AnyObject;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(AnyObject)
            }
        }
        d.deserialize_map(Read)
    }
}

impl std::ops::Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

/// Declares a struct of optional members that is read from a JSON object.
macro_rules! object {
    ($(#[$meta:meta])* struct $name:ident<$lt:lifetime> { $($field:ident: $ty:ty = $wire:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<$lt> {
            $(pub(crate) $field: Option<$ty>,)*
            pub(crate) _borrow: std::marker::PhantomData<&$lt ()>,
        }

        impl<'de: $lt, $lt> serde::de::Deserialize<'de> for $name<$lt> {
            fn deserialize<D: serde::de::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct Read<$lt>(std::marker::PhantomData<&$lt ()>);
                impl<'de: $lt, $lt> serde::de::Visitor<'de> for Read<$lt> {
                    type Value = $name<$lt>;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        let mut it = $name::default();
                        while let Some(key) = map.next_key::<crate::wire::object::Text<'de>>()? {
                            match &*key {
                                $($wire => {
                                    if it.$field.is_some() {
                                        return Err(serde::de::Error::duplicate_field($wire));
                                    }
                                    it.$field = Some(map.next_value()?);
                                })*
                                _ => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(it)
                    }
                }
                d.deserialize_map(Read(std::marker::PhantomData))
            }
        }
    };
}
pub(crate) use object;
