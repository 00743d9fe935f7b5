//! Who sees a tool, a prompt or a resource.
//!
//! What somebody does not see is to them as if it was not there: in lists, calls and suggestions alike.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::auth::Principal;

/// Who sees it; all unless a function says otherwise.
#[derive(Clone, Default)]
pub(crate) struct Visible(Option<Arc<Decide>>);

type Decide = dyn Fn(&Principal) -> bool + Send + Sync;

impl Visible {
    pub(crate) fn only_if(decide: impl Fn(&Principal) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(decide)))
    }

    /// Whether not all may see it.
    pub(crate) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// Whether this principal sees it. Where the author's function panics, nobody does.
    pub(crate) fn to(&self, principal: &Principal) -> bool {
        let Some(decide) = &self.0 else { return true };
        catch_unwind(AssertUnwindSafe(|| decide(principal))).unwrap_or_else(|_| {
            tracing::error!(
                "a function given to `only_if` panicked; what it is about stays hidden"
            );
            false
        })
    }
}

impl fmt::Debug for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Visible").field(&self.is_limited()).finish()
    }
}
