//! Tokens to options, a file per place.

pub(crate) mod choice;
pub(crate) mod field;
pub(crate) mod form;
pub(crate) mod given;
mod hint;
pub(crate) mod tool;
