//! How a test fails.

/// Fails the test with a text that says what was wrong and what to do.
#[track_caller]
#[expect(clippy::panic, reason = "that is how a test fails")]
pub(super) fn fail(text: &str) -> ! {
    panic!("{text}")
}
