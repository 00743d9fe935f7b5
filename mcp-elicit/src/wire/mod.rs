//! The messages of the protocol as plain data, a file each. They use nothing else of the crate.

pub(crate) mod content;
pub(crate) mod error;
pub(crate) mod icon;
pub(crate) mod message;
pub(crate) mod meta;
pub(crate) mod object;
pub(crate) mod resource;
pub(crate) mod sampled;
pub(crate) mod sampling;

/// The one revision this server speaks.
pub(crate) const REVISION: &str = "2026-07-28";

/// Appends `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    // Writing a string to a vector cannot fail: the writer never does, and a string is no map.
    let _ = serde_json::to_writer(out, text);
}
