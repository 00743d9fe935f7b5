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

    /// Makes a type known, unless another one has its page, or its key and thereby its vault rows.
    pub(crate) fn add(&self, declaration: &'static Declaration) -> Result<(), Taken> {
        let Mode::Page { name, .. } = declaration.mode() else {
            return Ok(());
        };
        if let Some(known) = self.get(name) {
            return same(known, declaration);
        }
        let mut pages = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut all = pages.values();
        if all.any(|it| it.key() == declaration.key() && !std::ptr::eq(*it, declaration)) {
            return Err(Taken::Key);
        }
        same(pages.entry(name).or_insert(declaration), declaration)
    }
}

/// What of a type another one has already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Page,
    Key,
}

fn same(known: &Declaration, declaration: &Declaration) -> Result<(), Taken> {
    match std::ptr::eq(known, declaration) {
        true => Ok(()),
        false => Err(Taken::Page),
    }
}
