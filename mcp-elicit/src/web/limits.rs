//! Every size and time limit of the pages. It uses nothing else of the crate.

use std::time::Duration;

/// Most bytes of a posted form.
pub(super) const BODY_BYTES: usize = 64 * 1024;

/// Most bytes of one posted value.
pub(super) const FIELD_BYTES: usize = 32 * 1024;

/// Most bytes of a name typed into the sign-in page.
pub(super) const NAME_BYTES: usize = 128;

/// How long a browser may take to send a form.
pub(super) const BODY_TIME: Duration = Duration::from_secs(20);

/// How long somebody stays signed in.
pub(super) const SESSION: Duration = Duration::from_secs(8 * 60 * 60);

/// How far the clock of another instance may be ahead of ours.
pub(super) const CLOCK_SKEW: Duration = Duration::from_secs(60);
