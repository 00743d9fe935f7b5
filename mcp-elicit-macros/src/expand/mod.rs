//! View to tokens, a file per generated item.

pub(crate) mod tool;
pub(crate) mod tools;
