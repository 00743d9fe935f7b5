//! Tokens to options, a file per place.

pub(crate) mod given;
pub(crate) mod tool;
