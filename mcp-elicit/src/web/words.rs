//! Names, times and lifetimes as people read them. It uses nothing else of the crate.

use std::time::Duration;

use crate::declare::Keep;
use crate::time::UnixTime;

/// A credential as a heading: `billing_key` and `prod` are "Billing key (prod)".
pub(super) fn credential(key: &str, name: &str) -> String {
    let mut text = key.replace(['_', '-'], " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if name.is_empty() {
        text
    } else {
        format!("{text} ({name})")
    }
}

/// How long something is kept, to follow "for your account only, ".
pub(super) fn kept(keep: Keep) -> String {
    match keep {
        Keep::Process => "until this server is restarted".to_owned(),
        Keep::UntilRemoved => "until you remove it".to_owned(),
        Keep::For(time) => format!("for {}", lifetime(time)),
    }
}

/// A length of time in its largest whole unit.
fn lifetime(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        .into_iter()
        .find(|(size, _)| seconds >= *size && seconds.is_multiple_of(*size))
        .map_or((seconds, "second"), |(size, unit)| (seconds / size, unit));
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// A point in time, such as "on 1 December 2026 at 09:44 UTC".
pub(super) fn date(time: UnixTime) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let minutes = time.as_millis() / 60_000;
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    // Days are counted from 1 March of the year 0, so that the leap day is a year's last. Each
    // 400 years have 146097 days.
    let day = minutes / 1440 + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let name = usize::try_from((month + 2) % 12)
        .ok()
        .and_then(|i| MONTHS.get(i));
    let year = era * 400 + year + u64::from(month >= 10);
    format!(
        "on {day} {} {year} at {hour:02}:{minute:02} UTC",
        name.unwrap_or(&"")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials() {
        assert_eq!(credential("billing_key", ""), "Billing key");
        assert_eq!(credential("billing_key", "prod"), "Billing key (prod)");
        assert_eq!(credential("\u{e4}x", ""), "\u{e4}x");
    }

    #[test]
    fn lifetimes() {
        for (seconds, text) in [
            (1, "1 second"),
            (90, "90 seconds"),
            (120, "2 minutes"),
            (8 * 3600, "8 hours"),
            (86_400, "1 day"),
            (90_000, "25 hours"),
        ] {
            assert_eq!(
                kept(Keep::For(Duration::from_secs(seconds))),
                format!("for {text}")
            );
        }
        assert_eq!(kept(Keep::UntilRemoved), "until you remove it");
    }

    #[test]
    fn dates() {
        for (seconds, text) in [
            (0, "on 1 January 1970 at 00:00 UTC"),
            (951_782_399, "on 28 February 2000 at 23:59 UTC"),
            (951_782_400, "on 29 February 2000 at 00:00 UTC"),
            (1_709_251_199, "on 29 February 2024 at 23:59 UTC"),
            (1_796_118_279, "on 1 December 2026 at 09:44 UTC"),
            (4_107_542_400, "on 1 March 2100 at 00:00 UTC"),
        ] {
            assert_eq!(date(UnixTime::from_seconds(seconds)), text);
        }
        // Absurd but possible in a store of a machine whose clock was wrong.
        assert!(date(UnixTime::from_millis(u64::MAX)).starts_with("on "));
    }
}
