//! Types of other crates that are a text with a format, each behind a feature of its own.
//!
//! The table has checked the format before. What the type still does not take, such as a leap
//! second, is refused with the same hint, since the crates' own errors are not for users.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "url")]
mod url;

use std::borrow::Cow;

use super::answer::Checked;
use super::field::unfit;
use super::table::{Format, Kind};

/// A text with this format, which the type itself parses.
const fn kind(format: Format) -> Kind<'static> {
    Kind::Text {
        min_length: None,
        max_length: None,
        format: Some(format),
    }
}

/// The value that `parse` makes of a text with this format.
fn parsed<T>(
    value: Checked<'_>,
    format: Format,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Cow<'static, str>> {
    match value {
        Checked::Text(text) => parse(&text).ok_or_else(|| format.hint().into()),
        _ => unfit(),
    }
}
