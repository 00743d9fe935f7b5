//! Points in time as the library stores and seals them. It uses nothing else of the crate.
//!
//! Time is always a parameter: only the server's clock reads the system's, so that a test of
//! expiry need not sleep.

use std::time::{Duration, SystemTime};

/// Milliseconds since the Unix epoch.
///
/// Plain arithmetic on it saturates, so that neither a peer's number nor a clock that is set
/// wrong can make it panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UnixTime(u64);

impl UnixTime {
    /// The latest time there is.
    #[cfg(feature = "http")]
    pub(crate) const MAX: Self = Self(u64::MAX);

    /// The time that is `millis` milliseconds after the epoch.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The time that is `seconds` seconds after the epoch.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The system's time; the epoch itself where the system's clock stands before it.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Self(millis(since))
    }

    /// This time and `by` more.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    /// How long it is from `earlier` to this time; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}
