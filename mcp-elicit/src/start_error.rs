//! What is wrong with a server's settings: all of it at once.

use std::fmt;

/// Why a server did not start.
pub struct StartError(Vec<String>);

/// What `main` returns: `async fn main() -> mcp_elicit::Result<()>`.
pub type Result<T, E = StartError> = std::result::Result<T, E>;

impl StartError {
    pub(crate) fn new(problems: Vec<String>) -> Self {
        Self(problems)
    }

    /// Each thing that is wrong, and what to do about it.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server cannot start:")?;
        self.0
            .iter()
            .try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

impl fmt::Debug for StartError {
    /// The same text, since this is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StartError {}
