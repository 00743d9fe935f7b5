//! What a handler can fail with: the text for the client apart from the text for the log.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;

/// Why a question brought no answer.
///
/// `?` in a tool turns it into a polite result with `isError: true`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoAnswer {
    /// The user, or the client in the user's name, said no.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
    /// The answers did not fit, as often as the limit allows. The text says what was wrong.
    Invalid(String),
    /// The time for a page ended, by `Ask::lifetime` or with the run, while a
    /// retry waited for it. An answer that comes later still is refused with its state, before the
    /// handler runs.
    TimedOut,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declined => {
                f.write_str("The request for input was declined by the user or the client.")
            }
            Self::Cancelled => {
                f.write_str("The request for input was dismissed without an answer.")
            }
            Self::Invalid(why) => write!(f, "The answers could not be used: {why}"),
            Self::TimedOut => f.write_str("The request for input was not answered in time."),
        }
    }
}

impl StdError for NoAnswer {}

/// The error of a tool.
///
/// Every type that is `std::error::Error + Send + Sync + 'static` converts into it by `?`. Of `&str`, `String` and [`NoAnswer`] the client sees
/// the text. Of any other error it sees only that something went wrong, and a short id under which
/// the log has the rest (what was said in the call is taken out of it there), unless the author calls
/// [`tell`](Self::tell) or [`tell_source`](Self::tell_source).
///
/// ```
/// # use mcp_elicit::CallError;
/// fn charge() -> Result<(), CallError> {
///     let cents: u32 = "12x".parse().map_err(|e| CallError::from(e).tell("Not an amount"))?;
///     # let _ = cents;
///     Ok(())
/// }
/// assert_eq!(charge().unwrap_err().told(), Some("Not an amount"));
/// ```
pub struct CallError {
    told: Option<String>,
    source: Box<dyn StdError + Send + Sync>,
}

impl CallError {
    /// Shows `text` to the client; the source still goes to the log alone.
    #[must_use]
    pub fn tell(mut self, text: impl Into<String>) -> Self {
        self.told = Some(text.into());
        self
    }

    /// Shows the source's own text to the client, for errors that the model must see to mend its
    /// request, such as the complaint of a SQL parser.
    #[must_use]
    pub fn tell_source(mut self) -> Self {
        self.told = Some(self.source.to_string());
        self
    }

    /// Keeps the text from the client.
    #[cfg(feature = "http")]
    pub(crate) fn quiet(mut self) -> Self {
        self.told = None;
        self
    }

    /// The text for the client, if there is one.
    #[must_use]
    pub fn told(&self) -> Option<&str> {
        self.told.as_deref()
    }

    /// The underlying error, for the log.
    #[must_use]
    pub fn source(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.source
    }

    /// The unanswered question behind this error, if that is what it is.
    #[must_use]
    pub fn no_answer(&self) -> Option<&NoAnswer> {
        self.source.downcast_ref()
    }
}

/// What a handler may end with: all that converts into [`CallError`]. It is there for its message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool, prompt or resource [elicit::11]",
    label = "its error is `{Self}`",
    note = "write `CallError`: any error becomes one by `?`, and so does a text",
    note = "an error of your own is `std::error::Error + Send + Sync`, a boxed one `Box<dyn std::error::Error + Send + Sync>`"
)]
#[doc(hidden)]
#[cfg(feature = "http")]
pub trait IntoCallError {
    /// This error as the library's.
    fn into_call_error(self) -> CallError;
}

#[cfg(feature = "http")]
#[diagnostic::do_not_recommend]
impl<E: Into<CallError>> IntoCallError for E {
    fn into_call_error(self) -> CallError {
        self.into()
    }
}

impl<E> From<E> for CallError
where
    E: Into<Box<dyn StdError + Send + Sync>> + 'static,
{
    fn from(error: E) -> Self {
        let it: &dyn Any = &error;
        let told = it
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| it.downcast_ref::<&'static str>().map(|s| (*s).to_owned()))
            .or_else(|| it.downcast_ref::<NoAnswer>().map(ToString::to_string));
        Self {
            told,
            source: error.into(),
        }
    }
}

impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallError")
            .field("told", &self.told)
            .field("source", &self.source)
            .finish()
    }
}
