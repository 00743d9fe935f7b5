//! `chrono::NaiveDate` and `chrono::DateTime` as fields.

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};

use super::{kind, parsed};
use crate::declare::answer::Checked;
use crate::declare::field::{FormField, FormValue};
use crate::declare::table::{Format, Kind};

impl FormField for NaiveDate {
    const KIND: Kind<'static> = kind(Format::Date);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::Date, |text| text.parse().ok())
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_string().into())
    }
}

/// Keeps the offset of the answer.
impl FormField for DateTime<FixedOffset> {
    const KIND: Kind<'static> = kind(Format::DateTime);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::DateTime, |text| {
            Self::parse_from_rfc3339(text).ok()
        })
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_rfc3339().into())
    }
}

impl FormField for DateTime<Utc> {
    const KIND: Kind<'static> = kind(Format::DateTime);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        DateTime::<FixedOffset>::from_checked(value).map(|time| time.to_utc())
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_rfc3339().into())
    }
}

impl FormValue for NaiveDate {}
impl FormValue for DateTime<FixedOffset> {}
impl FormValue for DateTime<Utc> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_format_lets_through_is_parsed_or_refused() {
        let date = |text: &'static str| NaiveDate::from_checked(Checked::Text(text.into()));
        assert_eq!(
            date("2025-04-17"),
            Ok(NaiveDate::from_ymd_opt(2025, 4, 17).unwrap())
        );
        assert_eq!(date("2025-02-30"), Err(Format::Date.hint().into()));
        let text = |text: &'static str| Checked::Text(text.into());
        let utc = DateTime::<Utc>::from_checked(text("1970-01-01t01:00:00+01:00"));
        assert_eq!(utc, Ok(DateTime::UNIX_EPOCH));
        let fixed = DateTime::<FixedOffset>::from_checked(text("1970-01-01T01:00:00+01:00"));
        assert_eq!(fixed.unwrap().offset().local_minus_utc(), 3600);
        let without_offset = DateTime::<Utc>::from_checked(text("1970-01-01T01:00:00"));
        assert_eq!(without_offset, Err(Format::DateTime.hint().into()));
        assert!(DateTime::<Utc>::from_checked(Checked::Boolean(true)).is_err());
    }
}
