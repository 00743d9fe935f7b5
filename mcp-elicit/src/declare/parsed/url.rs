//! `url::Url` as a field.

use std::borrow::Cow;

use url::Url;

use super::{kind, parsed};
use crate::declare::answer::Checked;
use crate::declare::field::{FormField, FormValue};
use crate::declare::table::{Format, Kind};

impl FormField for Url {
    const KIND: Kind<'static> = kind(Format::Uri);

    fn from_checked(value: Checked<'_>) -> Result<Self, Cow<'static, str>> {
        parsed(value, Format::Uri, |text| text.parse().ok())
    }

    fn to_checked(&self) -> Checked<'_> {
        Checked::Text(self.as_str().into())
    }
}

impl FormValue for Url {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_format_lets_through_is_parsed_or_refused() {
        let url = |text: &'static str| Url::from_checked(Checked::Text(text.into()));
        let it = url("https://example.com/a?b").unwrap();
        assert_eq!(
            (it.host_str(), it.query()),
            (Some("example.com"), Some("b"))
        );
        // A URI by its characters, but not one that names a host.
        assert!(Format::Uri.fits("https://"));
        assert_eq!(url("https://"), Err(Format::Uri.hint().into()));
        assert!(Url::from_checked(Checked::Boolean(true)).is_err());
    }
}
