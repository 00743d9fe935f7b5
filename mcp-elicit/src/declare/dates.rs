//! Dates and times of the `jiff` crate as fields.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;

use super::answer::Checked;
use super::field::{FormField, FormValue, unfit};
use super::table::{Format, Kind};

/// A text with this format, which the type itself parses.
const fn text(format: Format) -> Kind<'static> {
    Kind::Text {
        min_length: None,
        max_length: None,
        format: Some(format),
    }
}

impl FormField for Date {
    const KIND: Kind<'static> = text(Format::Date);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Text(text) => text.parse().map_err(|_| Format::Date.hint().into()),
            _ => unfit(),
        }
    }
}

impl FormField for Timestamp {
    const KIND: Kind<'static> = text(Format::DateTime);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        match value {
            Checked::Text(text) => text.parse().map_err(|_| Format::DateTime.hint().into()),
            _ => unfit(),
        }
    }
}

impl FormValue for Date {}
impl FormValue for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_format_lets_through_is_parsed_or_refused() {
        let date = |text: &'static str| Date::from_checked(Checked::Text(text.into()));
        assert_eq!(date("2025-04-17"), Ok(jiff::civil::date(2025, 4, 17)));
        assert!(date("0000-00-00").is_err());
        let time = |text: &'static str| Timestamp::from_checked(Checked::Text(text.into()));
        assert_eq!(time("1970-01-01T01:00:00+01:00"), Ok(Timestamp::UNIX_EPOCH));
        assert!(time("1970-01-01T01:00:00").is_err());
    }
}
