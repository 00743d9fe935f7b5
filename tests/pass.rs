//! What the derives and macros take, in every context that was found to matter.

#[path = "ui/pass/mod.rs"]
mod pass;
