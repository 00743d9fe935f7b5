//! What travels on the wire, as plain data.

pub(crate) mod content;
