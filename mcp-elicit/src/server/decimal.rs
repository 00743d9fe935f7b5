//! Whether two texts are the same number, exactly and without floats: `42`, `42.0` and `4.2e1`.

/// The largest whole number that every JSON client keeps, 2^53 - 1.
pub(super) const LARGEST: u64 = 9_007_199_254_740_991;

/// Whether both are numbers as JSON writes them, and the same one. A whole number beyond what every
/// client keeps is never the same: one that stands between may have rounded it.
pub(super) fn are_equal(a: &str, b: &str) -> bool {
    match (Decimal::of(a), Decimal::of(b)) {
        (Some(a), Some(b)) => a == b && a.is_kept(),
        _ => false,
    }
}

/// A number without its zeros at either end.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    /// By which power of ten the digits are to be multiplied.
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        // Nobody writes a number that all clients keep as long as this.
        if text.len() > 64 {
            return None;
        }
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match rest.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, exponent(power)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let are_digits = |it: &str| it.bytes().all(|b| b.is_ascii_digit());
        let is_whole = !whole.is_empty() && (whole == "0" || !whole.starts_with('0'));
        if !is_whole || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let mut exponent = power - i64::try_from(fraction.len()).ok()?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|b| **b == b'0').count();
        digits.drain(..zeros);
        Some(match digits.is_empty() {
            // There is one zero only.
            true => Self {
                negative: false,
                digits,
                exponent: 0,
            },
            false => Self {
                negative,
                digits,
                exponent,
            },
        })
    }

    /// Whether every client keeps it as it is. What has a fraction is no whole number; its tool will
    /// refuse it.
    fn is_kept(&self) -> bool {
        let Ok(exponent) = u32::try_from(self.exponent) else {
            return true;
        };
        let digits = std::str::from_utf8(&self.digits).unwrap_or_default();
        let value = match digits {
            "" => Some(0),
            digits => digits.parse::<u64>().ok(),
        };
        let whole = value.and_then(|it| it.checked_mul(10_u64.checked_pow(exponent)?));
        whole.is_some_and(|it| it <= LARGEST)
    }
}

/// The power of ten after an `e`.
fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_short = (1..=4).contains(&digits.len());
    (is_short && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::are_equal;

    #[test]
    fn a_number_has_many_spellings() {
        for (a, b) in [
            ("42", "42.0"),
            ("42", "4.2e1"),
            ("42", "420E-1"),
            ("-7", "-7.00"),
            ("0", "-0"),
            ("0", "0e9"),
            ("1000", "1e3"),
            ("1e+3", "1E3"),
            ("9007199254740991", "9007199254740991.0"),
            ("0.5", "5e-1"),
        ] {
            assert!(are_equal(a, b) && are_equal(b, a), "{a} {b}");
        }
    }

    #[test]
    fn another_number_and_no_number_are_not_the_same() {
        for (a, b) in [
            ("42", "43"),
            ("42", "-42"),
            ("42", "42.0000000000000001"),
            ("9007199254740991", "9007199254740991.4"),
            ("9007199254740992", "9007199254740992"),
            ("9007199254740993", "9007199254740992"),
            ("1e16", "1e16"),
            ("1e999", "1e999"),
            ("1e99999", "1e99999"),
            ("42", "042"),
            ("42", "+42"),
            ("42", " 42"),
            ("42", "42."),
            ("42", ".42e2"),
            ("42", "0x2a"),
            ("42", "4_2"),
            ("42", "42e"),
            ("42", "42e+"),
            ("42", ""),
            ("0", "-"),
            ("NaN", "NaN"),
            ("inf", "inf"),
        ] {
            assert!(!are_equal(a, b) && !are_equal(b, a), "{a} {b}");
        }
    }
}
