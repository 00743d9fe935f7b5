//! The macros of `mcp-elicit`; use them through that crate.
//!
//! Steps: attributes to options (`attr`), the item and its options as one view (`ast`), rules
//! (`check`), code (`expand`). One list of errors goes through all of them, so that every mistake
//! of an item is reported at once.

mod attr;
mod errors;
mod words;
