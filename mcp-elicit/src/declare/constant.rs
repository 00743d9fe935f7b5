//! Constants of the author's as values of attributes.
//!
//! A number must stand in the schema as text, and constant code has no `format!`: it writes digits.

use super::bounds::Literal;
use super::table::Num;

/// A constant of the author's: a number, a `bool` or a text.
#[derive(Debug, Clone, Copy)]
pub struct Constant<T>(T);

impl<T> Constant<T> {
    /// This constant.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(value)
    }
}

/// A constant, and its digits if it is a number.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    value: Value,
    digits: Digits,
}

#[derive(Debug, Clone, Copy)]
enum Value {
    Whole(i128),
    Decimal(f64),
    /// Not finite, or with more digits than are certain.
    Unwritten,
    Boolean(bool),
    Text(&'static str),
}

impl Written {
    const fn plain(value: Value) -> Self {
        Self {
            value,
            digits: Digits::NONE,
        }
    }

    const fn whole(value: i128) -> Self {
        Self {
            value: Value::Whole(value),
            digits: Digits::NONE.number(value, 0),
        }
    }

    /// The decimal `digits / 10^places`, whose nearest `f64` is `value`.
    const fn decimal(value: f64, digits: i128, places: usize) -> Self {
        let sign = if value.is_sign_negative() && digits == 0 {
            Digits::NONE.push(b'-')
        } else {
            Digits::NONE
        };
        let digits = sign.number(digits, places);
        Self {
            value: Value::Decimal(value),
            digits: if places == 0 {
                digits.push(b'.').push(b'0')
            } else {
                digits
            },
        }
    }

    /// The same as a value of an attribute.
    #[must_use]
    pub const fn literal(&self) -> Literal<'_> {
        match self.value {
            Value::Whole(value) => {
                Literal::Whole(value, Num::new(value as f64, self.digits.as_str()))
            }
            Value::Decimal(value) => Literal::Decimal(Num::new(value, self.digits.as_str())),
            Value::Unwritten => Literal::Unwritten,
            Value::Boolean(value) => Literal::Boolean(value),
            Value::Text(value) => Literal::Text(value),
        }
    }
}

macro_rules! constants {
    ($($ty:ty: $value:ident => $written:expr;)*) => { $(
        impl Constant<$ty> {
            /// The same as text.
            #[must_use]
            pub const fn written(self) -> Written {
                let $value = self.0;
                $written
            }
        }
    )* };
}

constants! {
    i8: value => Written::whole(value as i128);
    i16: value => Written::whole(value as i128);
    i32: value => Written::whole(value as i128);
    i64: value => Written::whole(value as i128);
    isize: value => Written::whole(value as i128);
    u8: value => Written::whole(value as i128);
    u16: value => Written::whole(value as i128);
    u32: value => Written::whole(value as i128);
    u64: value => Written::whole(value as i128);
    usize: value => Written::whole(value as i128);
    i128: value => Written::whole(value);
    u128: value => Written::whole(saturated(value));
    bool: value => Written::plain(Value::Boolean(value));
    &'static str: value => Written::plain(Value::Text(value));
    f64: value => decimal(value);
    f32: value => single(value);
}

/// No bound reaches the end, so that what is beyond it is refused all the same.
const fn saturated(value: u128) -> i128 {
    if value > i128::MAX as u128 {
        i128::MAX
    } else {
        value as i128
    }
}

// A quotient of two whole numbers that a float holds exactly is the float nearest to the true one,
// which is what a reader of the digits makes of them. So digits that divide back to the value stand
// for it, and the first that do are the shortest. 10^22 and 10^10 are the last powers a float holds.

const fn decimal(value: f64) -> Written {
    let (mut places, mut power) = (0, 1.0);
    while places <= 22 {
        let half = if value < 0.0 { -0.5 } else { 0.5 };
        let digits = (value * power + half) as i64;
        if digits.unsigned_abs() < 1 << 53 && digits as f64 / power == value {
            return Written::decimal(value, digits as i128, places);
        }
        places += 1;
        power *= 10.0;
    }
    Written::plain(Value::Unwritten)
}

const fn single(value: f32) -> Written {
    let (mut places, mut power) = (0, 1.0_f32);
    while places <= 10 {
        let half = if value < 0.0 { -0.5 } else { 0.5 };
        let digits = (value * power + half) as i32;
        if digits.unsigned_abs() < 1 << 24 && digits as f32 / power == value {
            // What was meant, such as 0.1, and not the nearest `f32` with its many digits.
            let meant = digits as f64 / power as f64;
            return Written::decimal(meant, digits as i128, places);
        }
        places += 1;
        power *= 10.0;
    }
    decimal(value as f64)
}

/// The text of a number.
#[derive(Debug, Clone, Copy)]
struct Digits {
    bytes: [u8; Self::ROOM],
    len: usize,
}

impl Digits {
    /// Enough for any `i128`, and for 22 places.
    const ROOM: usize = 48;
    const NONE: Self = Self {
        bytes: [0; Self::ROOM],
        len: 0,
    };

    /// Adds `number / 10^places`.
    const fn number(self, number: i128, places: usize) -> Self {
        let it = if number < 0 { self.push(b'-') } else { self };
        it.unsigned(number.unsigned_abs(), places)
    }

    const fn unsigned(self, number: u128, places: usize) -> Self {
        let it = if number < 10 && places == 0 {
            self
        } else {
            self.unsigned(number / 10, places.saturating_sub(1))
        };
        let it = if places > 0 && !it.has_point() {
            it.push(b'.')
        } else {
            it
        };
        it.push(b'0' + (number % 10) as u8)
    }

    const fn has_point(&self) -> bool {
        let mut rest = self.bytes.split_at(self.len).0;
        while let [byte, after @ ..] = rest {
            if *byte == b'.' {
                return true;
            }
            rest = after;
        }
        false
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "run by the compiler alone, and no number is longer"
    )]
    const fn push(mut self, byte: u8) -> Self {
        self.bytes[self.len] = byte;
        self.len += 1;
        self
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// A type that no bound and no default has. It is there for its message.
#[diagnostic::on_unimplemented(
    message = "a bound or default is a number, a text or a `bool`, not of the type `{Self}` [elicit::6]",
    label = "of the type `{Self}`",
    note = "the default of a choice is its wire name in quotes, `\"..\"`, of several choices a list of them, `[\"..\"]`; what may be left blank is an `Option` without a default"
)]
pub trait ValueOfAnAttribute {}

/// The way to that message: the compiler comes here for types that have no `written` of their own.
pub trait NotWritten {
    /// The type of the constant.
    type Of;

    /// Never called.
    #[must_use]
    fn written(self) -> Written
    where
        Self::Of: ValueOfAnAttribute;
}

impl<T> NotWritten for Constant<T> {
    type Of = T;

    fn written(self) -> Written
    where
        T: ValueOfAnAttribute,
    {
        Written::plain(Value::Unwritten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(written: &Written) -> &str {
        written.digits.as_str()
    }

    #[test]
    fn whole_numbers() {
        for value in [0_i128, 7, -1, 10, -120, i128::MAX, i128::MIN] {
            assert_eq!(text(&Constant::new(value).written()), value.to_string());
        }
    }

    #[test]
    fn decimals_are_read_back_as_they_were() {
        let many = (1..2000).flat_map(|i| {
            let value = f64::from(i) / 128.0;
            [value, -value, f64::from(i) / 100.0, f64::from(i) / 1e9]
        });
        let some = [0.0, -0.0, 0.1, 1.0 / 3.0, std::f64::consts::PI, 1e15, 1e-20];
        for value in many.chain(some) {
            let written = Constant::new(value).written();
            let read: f64 = text(&written).parse().unwrap();
            assert_eq!(
                read.to_bits(),
                value.to_bits(),
                "{value} {}",
                text(&written)
            );
            let json: f64 = serde_json::from_str(text(&written)).unwrap();
            assert_eq!(json.to_bits(), value.to_bits());
        }
        for (value, short) in [
            (100.0_f64, "100.0"),
            (-2.5, "-2.5"),
            (0.05, "0.05"),
            (1e-7, "0.0000001"),
        ] {
            assert_eq!(text(&Constant::new(value).written()), short);
        }
        assert_eq!(text(&Constant::new(0.1_f32).written()), "0.1");
        assert_eq!(
            text(&Constant::new(16_777_215.0_f32).written()),
            "16777215.0"
        );
    }

    #[test]
    fn what_is_not_certain_is_not_written() {
        for value in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e300] {
            assert!(
                matches!(Constant::new(value).written().value, Value::Unwritten),
                "{value}"
            );
        }
        assert!(matches!(
            Constant::new(f32::NEG_INFINITY).written().value,
            Value::Unwritten
        ));
    }
}
