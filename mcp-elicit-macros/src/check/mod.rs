//! The rules, a file per family.

pub(crate) mod tool;
