//! Small strict checks of the four formats a text can have.
//!
//! They are const, so that a default is checked by the compiler with the very code that checks
//! answers.

mod uri;

use super::table::Format;

impl Format {
    /// Whether `text` has this form.
    pub(crate) const fn fits(self, text: &str) -> bool {
        let text = text.as_bytes();
        match self {
            Self::Email => is_email(text),
            Self::Uri => uri::is_uri(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
        }
    }

    /// What to say to a person whose text has not.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::Email => "must be an email address",
            Self::Uri => "must be a full address such as https://example.com",
            Self::Date => "must be a date such as 2025-04-17",
            Self::DateTime => "must be a date and time such as 2025-04-17T12:00:00Z",
        }
    }
}

/// A dot-atom, `@`, and a host name: what RFC 5321 calls a mailbox, without quoted parts.
const fn is_email(text: &[u8]) -> bool {
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if *byte == b'@' {
            let (local, _) = text.split_at(text.len() - rest.len());
            return local.len() <= 64 && is_dotted(local, false) && is_host(after);
        }
        rest = after;
    }
    false
}

const fn is_host(text: &[u8]) -> bool {
    text.len() <= 253 && is_dotted(text, true)
}

/// Parts between single dots: labels of a host name, or atoms.
const fn is_dotted(text: &[u8], labels: bool) -> bool {
    let mut rest = text;
    let mut len = 0;
    let mut last = b'.';
    while let [byte, after @ ..] = rest {
        let fits = match byte {
            b'.' => last != b'.' && !(labels && last == b'-'),
            b'-' if labels => last != b'.',
            b'!'
            | b'#'..=b'\''
            | b'*'
            | b'+'
            | b'-'
            | b'/'
            | b'='
            | b'?'
            | b'^'..=b'`'
            | b'{'..=b'~' => !labels,
            other => other.is_ascii_alphanumeric(),
        };
        len = if *byte == b'.' { 0 } else { len + 1 };
        if !fits || (labels && len > 63) {
            return false;
        }
        last = *byte;
        rest = after;
    }
    last != b'.' && !(labels && last == b'-')
}

const fn is_date(text: &[u8]) -> bool {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text else {
        return false;
    };
    let (Some(century), Some(year)) = (two(*y0, *y1), two(*y2, *y3)) else {
        return false;
    };
    let (Some(month), Some(day)) = (two(*m0, *m1), two(*d0, *d1)) else {
        return false;
    };
    let year = century as u16 * 100 + year as u16;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    day >= 1 && day <= days
}

/// RFC 3339: the offset is part of it.
const fn is_date_time(text: &[u8]) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else {
        return false;
    };
    let [b'T' | b't', h0, h1, b':', m0, m1, b':', s0, s1, rest @ ..] = rest else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (two(*h0, *h1), two(*m0, *m1), two(*s0, *s1))
    else {
        return false;
    };
    let Some(offset) = offset(after_fraction(rest)) else {
        return false;
    };
    // A leap second is the last of a day in UTC.
    let minute_of_day = (hour as i32 * 60 + minute as i32 - offset).rem_euclid(24 * 60);
    is_date(date)
        && hour < 24
        && minute < 60
        && (second < 60 || (second == 60 && minute_of_day == 24 * 60 - 1))
}

/// What stands after a fraction of a second; the text itself if none begins it.
const fn after_fraction(text: &[u8]) -> &[u8] {
    let [b'.', b'0'..=b'9', rest @ ..] = text else {
        return text;
    };
    let mut rest = rest;
    while let [b'0'..=b'9', after @ ..] = rest {
        rest = after;
    }
    rest
}

/// The minutes by which a time is ahead of UTC.
const fn offset(text: &[u8]) -> Option<i32> {
    let (sign, hours, minutes) = match text {
        [b'Z' | b'z'] => return Some(0),
        [b'+', h0, h1, b':', m0, m1] => (1, two(*h0, *h1), two(*m0, *m1)),
        [b'-', h0, h1, b':', m0, m1] => (-1, two(*h0, *h1), two(*m0, *m1)),
        _ => return None,
    };
    match (hours, minutes) {
        (Some(hours), Some(minutes)) if hours < 24 && minutes < 60 => {
            Some(sign * (hours as i32 * 60 + minutes as i32))
        }
        _ => None,
    }
}

const fn two(tens: u8, ones: u8) -> Option<u8> {
    match (tens, ones) {
        (b'0'..=b'9', b'0'..=b'9') => Some((tens - b'0') * 10 + (ones - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(format: Format, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(format.fits(text), "{text}");
        }
        for text in bad {
            assert!(!format.fits(text), "{text}");
        }
    }

    #[test]
    fn email() {
        let long = format!("{}@example.com", "a".repeat(65));
        all(
            Format::Email,
            &[
                "ada@example.com",
                "a.b+c@mail.example.co",
                "o'neil@x",
                "a-b@a-b.de",
            ],
            &[
                "",
                "@",
                "a@",
                "@b.c",
                "a b@c.de",
                "a@b@c.de",
                ".a@b.c",
                "a.@b.c",
                "a..b@c.d",
                "a@-b.c",
                "a@b-.c",
                "a@b..c",
                "a@b.c.",
                "a@b_c",
                "a@b\n",
                "\"a\"@b.c",
                &long,
            ],
        );
    }

    #[test]
    fn date() {
        all(
            Format::Date,
            &["2025-04-17", "2024-02-29", "2000-02-29", "0001-12-31"],
            &[
                "04/17/2025",
                "2025-4-17",
                "2025-02-29",
                "1900-02-29",
                "2025-13-01",
                "2025-00-10",
                "2025-01-00",
                "2025-04-31",
                "2025-04-17T",
                " 2025-04-17",
                "２025-04-1",
            ],
        );
    }

    #[test]
    fn date_time() {
        all(
            Format::DateTime,
            &[
                "2025-04-17T12:00:00Z",
                "2025-04-17t23:59:60.123z",
                "2025-04-17T00:00:00+14:00",
                "2025-04-17T00:29:60+00:30",
                "2025-04-17T13:29:60.5-10:30",
            ],
            &[
                "2025-04-17",
                "2025-04-17T12:00Z",
                "2025-04-17T12:00:00",
                "2025-04-17 12:00:00Z",
                "2025-04-17T24:00:00Z",
                "2025-04-17T12:60:00Z",
                "2025-04-17T12:00:60Z",
                "2025-04-17T23:59:61Z",
                "2025-04-17T23:59:60+01:00",
                "2025-04-17T12:00:00+24:00",
                "2025-04-17T12:00:00+01:60",
                "2025-04-17T12:00:00.Z",
                "2025-04-17T12:00:00+1:00",
                "2025-02-30T12:00:00Z",
                "2025-04-17T12:00:00ZZ",
                "é25-04-17T12:00:00Z",
            ],
        );
    }
}
