//! Tokens to options, a file per place.

pub(crate) mod choice;
pub(crate) mod field;
pub(crate) mod form;
pub(crate) mod given;
pub(crate) mod tool;
