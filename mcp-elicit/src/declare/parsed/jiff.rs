//! `jiff::civil::Date` and `jiff::Timestamp` as fields.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;

use super::{kind, parsed};
use crate::declare::answer::Checked;
use crate::declare::field::{FormField, FormValue};
use crate::declare::table::{Format, Kind};

impl FormField for Date {
    const KIND: Kind<'static> = kind(Format::Date);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::Date, |text| text.parse().ok())
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_string().into())
    }
}

impl FormField for Timestamp {
    const KIND: Kind<'static> = kind(Format::DateTime);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::DateTime, |text| text.parse().ok())
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_string().into())
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
