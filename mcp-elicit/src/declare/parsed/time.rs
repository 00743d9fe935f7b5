//! `time::Date` and `time::OffsetDateTime` as fields.

use std::borrow::Cow;

use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime};

use super::{kind, parsed};
use crate::declare::answer::Checked;
use crate::declare::field::{FormField, FormValue};
use crate::declare::table::{Format, Kind};

impl FormField for Date {
    const KIND: Kind<'static> = kind(Format::Date);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::Date, |text| {
            Self::parse(text, &Iso8601::DATE).ok()
        })
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.to_string().into())
    }
}

/// Keeps the offset of the answer.
impl FormField for OffsetDateTime {
    const KIND: Kind<'static> = kind(Format::DateTime);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::DateTime, |text| {
            Self::parse(text, &Rfc3339).ok()
        })
    }

    // By hand, or the crate would need a feature more.
    fn to_checked(&self) -> Checked<'_> {
        let (date, time, offset) = (self.date(), self.time(), self.offset());
        let (hours, minutes, _) = offset.as_hms();
        let sign = if offset.is_negative() { '-' } else { '+' };
        Checked::Text(
            format!(
                "{date}T{:02}:{:02}:{:02}.{:09}{sign}{:02}:{:02}",
                time.hour(),
                time.minute(),
                time.second(),
                time.nanosecond(),
                hours.unsigned_abs(),
                minutes.unsigned_abs(),
            )
            .into(),
        )
    }
}

impl FormValue for Date {}
impl FormValue for OffsetDateTime {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_format_lets_through_is_parsed_or_refused() {
        let date = |text: &'static str| Date::from_checked(Checked::Text(text.into()));
        assert_eq!(
            date("2025-04-17"),
            Ok(Date::from_ordinal_date(2025, 107).unwrap())
        );
        assert_eq!(date("2025-02-30"), Err(Format::Date.hint().into()));
        let time = |text: &'static str| OffsetDateTime::from_checked(Checked::Text(text.into()));
        assert_eq!(
            time("1970-01-01t01:00:00+01:00"),
            Ok(OffsetDateTime::UNIX_EPOCH)
        );
        let offset = time("1970-01-01T01:00:00+01:00").unwrap().offset();
        assert_eq!(offset.whole_hours(), 1);
        assert_eq!(
            time("1970-01-01T01:00:00"),
            Err(Format::DateTime.hint().into())
        );
        assert!(OffsetDateTime::from_checked(Checked::Boolean(true)).is_err());
    }
}
