//! The page types that this build knows, by the names of their pages.
//!
//! Those that tools say they ask are known from the start; others from when they are first asked.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::declare::{Declaration, Mode};

/// Page types by page.
#[derive(Debug, Default)]
pub(crate) struct Pages(RwLock<HashMap<&'static str, &'static Declaration>>);

impl Pages {
    /// The type of a page.
    pub(crate) fn get(&self, page: &str) -> Option<&'static Declaration> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(page)
            .copied()
    }

    /// The type whose answers are kept under `key`.
    pub(crate) fn of_key(&self, key: &str) -> Option<&'static Declaration> {
        let pages = self.0.read().unwrap_or_else(PoisonError::into_inner);
        pages
            .values()
            .find(|declaration| declaration.key() == key)
            .copied()
    }

    /// Makes a type known. False if another one has its page.
    pub(crate) fn add(&self, declaration: &'static Declaration) -> bool {
        let Mode::Page { name, .. } = declaration.mode() else {
            return true;
        };
        if let Some(known) = self.get(name) {
            return std::ptr::eq(known, declaration);
        }
        let mut pages = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::ptr::eq(*pages.entry(name).or_insert(declaration), declaration)
    }
}
