//! Time and randomness, the two things a run takes from outside. Both are given to the server,
//! so that a test can hold them still.

use std::fmt;
use std::sync::Arc;

use crate::time::UnixTime;

/// Tells the time.
pub(crate) type Clock = Arc<dyn Fn() -> UnixTime + Send + Sync>;

/// Fills its argument with random bytes.
pub(crate) type Random = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// Where a server gets time and randomness from.
#[derive(Clone)]
pub(crate) struct Ambient {
    now: Clock,
    fill: Random,
}

impl Ambient {
    /// The system's clock, and a generator per thread that the system seeds: it needs no system
    /// call per number.
    pub(crate) fn system() -> Self {
        Self {
            now: Arc::new(UnixTime::now),
            fill: Arc::new(|bytes| rand::Rng::fill_bytes(&mut rand::rng(), bytes)),
        }
    }

    /// The same with another clock.
    #[cfg(feature = "testing")]
    pub(crate) fn with_clock(self, now: Clock) -> Self {
        Self { now, ..self }
    }

    /// The clock alone.
    pub(crate) fn clock(&self) -> Clock {
        Arc::clone(&self.now)
    }

    /// The randomness alone.
    pub(crate) fn randomness(&self) -> Random {
        Arc::clone(&self.fill)
    }

    pub(crate) fn now(&self) -> UnixTime {
        (self.now)()
    }

    pub(crate) fn fill(&self, bytes: &mut [u8]) {
        (self.fill)(bytes);
    }

    pub(crate) fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

impl fmt::Debug for Ambient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ambient")
    }
}
