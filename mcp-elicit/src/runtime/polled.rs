//! Which run's handler this thread polls just now.
//!
//! A question that is polled by anything else stands in a task of its own: the driver does not see it,
//! so it could never be parked, and nobody would end that task.

use std::cell::Cell;

use super::run::Run;

thread_local! {
    static POLLED: Cell<*const Run> = const { Cell::new(std::ptr::null()) };
}

/// Marks the handler of `run` as polled by this thread for as long as the guard lives.
pub(super) fn enter(run: &Run) -> Entered {
    Entered(POLLED.replace(run))
}

/// Whether this thread polls the handler of `run`.
pub(super) fn is_here(run: &Run) -> bool {
    std::ptr::eq(POLLED.get(), run)
}

/// Puts back what was polled before, also after a panic.
pub(super) struct Entered(*const Run);

impl Drop for Entered {
    fn drop(&mut self) {
        POLLED.set(self.0);
    }
}
