//! Text, numbers and `bool` as fields.

use std::borrow::Cow;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroUsize,
};

use super::answer::Checked;
use super::field::{FormField, FormValue, unfit};
use super::table::Kind;

/// The greatest whole number that every JSON client keeps exactly (RFC 8259, section 6).
pub(crate) const EXACT: i64 = (1 << 53) - 1;

impl FormField for String {
    const KIND: Kind<'static> = Kind::Text {
        min_length: None,
        max_length: None,
        format: None,
    };

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Text(text) => Ok(text.into_owned()),
            _ => unfit(),
        }
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(Cow::Borrowed(self))
    }
}

impl FormField for bool {
    const KIND: Kind<'static> = Kind::Boolean;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Boolean(value) => Ok(value),
            _ => unfit(),
        }
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Boolean(*self)
    }
}

macro_rules! integers {
    ($($ty:ty: $min:expr, $max:expr;)*) => { $(
        impl FormField for $ty {
            const KIND: Kind<'static> = Kind::Integer { min: $min, max: $max };

            fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
                match value {
                    Checked::Integer(value) => {
                        Self::try_from(value).map_err(|_| "is outside of its range".into())
                    }
                    _ => unfit(),
                }
            }

            fn to_checked(&self) -> Checked<'_> {
                // What saturates is far outside of the type's bounds, as the value itself is.
                Checked::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
        impl FormValue for $ty {}
    )* };
}

integers! {
    i8: i8::MIN as i64, i8::MAX as i64;
    i16: i16::MIN as i64, i16::MAX as i64;
    i32: i32::MIN as i64, i32::MAX as i64;
    i64: -EXACT, EXACT;
    isize: -EXACT, EXACT;
    u8: 0, u8::MAX as i64;
    u16: 0, u16::MAX as i64;
    u32: 0, u32::MAX as i64;
    u64: 0, EXACT;
    usize: 0, EXACT;
}

macro_rules! non_zero {
    ($($ty:ty: $inner:ty;)*) => { $(
        // The lists that the compiler makes of other types are short, and better begin with the others.
        #[diagnostic::do_not_recommend]
        impl FormField for $ty {
            const KIND: Kind<'static> = match <$inner as FormField>::KIND {
                // A range has no hole: only the unsigned begin at one.
                Kind::Integer { min: 0, max } => Kind::Integer { min: 1, max },
                kind => kind,
            };

            fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
                Self::new(<$inner>::from_checked(value)?).ok_or("must not be 0".into())
            }

            fn to_checked(&self) -> Checked<'_> {
                Checked::Integer(i64::try_from(self.get()).unwrap_or(i64::MAX))
            }
        }
        impl FormValue for $ty {}
    )* };
}

non_zero! {
    NonZeroU8: u8;
    NonZeroU16: u16;
    NonZeroU32: u32;
    NonZeroU64: u64;
    NonZeroUsize: usize;
    NonZeroI8: i8;
    NonZeroI16: i16;
    NonZeroI32: i32;
    NonZeroI64: i64;
    NonZeroIsize: isize;
}

impl FormField for f64 {
    const KIND: Kind<'static> = Kind::Number {
        min: None,
        max: None,
    };

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Number(value) => Ok(value),
            _ => unfit(),
        }
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Number(*self)
    }
}

impl FormField for f32 {
    const KIND: Kind<'static> = <f64 as FormField>::KIND;

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        let value = f64::from_checked(value)? as Self;
        if value.is_finite() {
            Ok(value)
        } else {
            Err("is too large".into())
        }
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Number(f64::from(*self))
    }
}

impl FormValue for String {}
impl FormValue for bool {}
impl FormValue for f64 {}
impl FormValue for f32 {}
