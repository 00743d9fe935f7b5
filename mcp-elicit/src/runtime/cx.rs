//! What a handler can do.

/// What a handler can ask and do.
#[derive(Debug)]
pub struct Cx(());
