//! Every size and time limit of the pages. It uses nothing else of the crate.

use std::time::Duration;

/// Most bytes of a posted form.
pub(super) const BODY_BYTES: usize = 64 * 1024;

/// Most bytes of one posted value.
pub(super) const FIELD_BYTES: usize = 32 * 1024;

/// Most bytes of a name, of a person or of one credential of several.
pub(crate) const NAME_BYTES: usize = 128;

/// How long a browser may take to send a form.
pub(super) const BODY_TIME: Duration = Duration::from_secs(20);

/// How long somebody stays signed in.
pub(super) const SESSION: Duration = Duration::from_secs(8 * 60 * 60);

/// How long a page stays open that somebody opened without a link.
pub(super) const STARTED: Duration = Duration::from_secs(60 * 60);

/// Most open pages of one principal before no more are opened that way.
pub(super) const STARTED_MOST: usize = 20;

/// How far the clock of another instance may be ahead of ours.
pub(super) const CLOCK_SKEW: Duration = Duration::from_secs(60);

/// How long a credential that is kept for one process stays in the store at most.
pub(super) const PROCESS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
