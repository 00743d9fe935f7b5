//! What is asked, apart from the type of the answer, and how an answer is read off the wire.
//!
//! It is plain data: nothing is looked up or registered here.

use std::borrow::Cow;
use std::time::Duration;

use super::journal::{QuestionDigest, Recorded};
use super::run::half;
use crate::declare::filled::Filled;
use crate::declare::joined::Part;
use crate::declare::link::has_link;
use crate::declare::lists::Lists;
use crate::declare::{Declaration, Mode};
use crate::error::NoAnswer;
use crate::seal::digest_of;
use crate::wire::message::ElicitResult;
use crate::wire::write_string;

/// What stands between a message and why an earlier answer was of no use.
pub(crate) const REASON: &str = "\n\nThe last answer could not be used: ";

/// The same for what the call gave.
pub(crate) const GIVEN: &str = "\n\nWhat the call gave could not be used: ";

/// What is asked, apart from the type of the answer.
pub(crate) struct Question {
    pub(super) declaration: &'static Declaration,
    pub(super) key: Cow<'static, str>,
    pub(super) message: Option<String>,
    /// The choices of its `#[select]` fields.
    pub(super) lists: Option<Lists>,
    /// Why the answer that the handler has used is of no use: it is taken back.
    pub(super) rejects: Option<String>,
    /// What of it is filled in already.
    pub(super) filled: Option<Box<Filled>>,
    /// Whether the user is shown that, and takes what is left as it is shown.
    pub(super) shown: bool,
    /// Why an earlier answer was of no use.
    pub(super) reason: Option<String>,
    pub(super) name: String,
    pub(super) about: Option<[u8; 16]>,
    pub(super) attempts: Option<u8>,
    /// How long the user has for it, where that is not what the limits say.
    pub(super) lifetime: Option<Duration>,
    pub(super) digest: QuestionDigest,
}

impl Question {
    /// The message, and why an earlier answer was of no use. The reason is no part of the question:
    /// its digest does not change with it.
    pub(super) fn text_with_reason(&self) -> Cow<'_, str> {
        let given = || self.filled.as_ref()?.wrong();
        match (&self.reason, given()) {
            (None, None) => Cow::Borrowed(self.text()),
            (None, Some(why)) => Cow::Owned(format!("{}{GIVEN}{why}", self.text())),
            (Some(why), _) => Cow::Owned(format!("{}{REASON}{why}", self.text())),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.message
            .as_deref()
            .unwrap_or(self.declaration.message())
    }

    /// The JSON text of the request that shows its form.
    pub(super) fn form_request(&self) -> Cow<'static, str> {
        let declaration = self.declaration;
        if let Some(lists) = &self.lists {
            let lists = lists.for_schema(declaration.table());
            let text = self.text_with_reason();
            let mut request = Vec::new();
            let part = |i: usize| {
                let list = lists.get(i).and_then(|list| list.as_deref());
                list.map_or(Part::Declared, Part::List)
            };
            declaration.append_form(&text, part, &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        } else if let Some(filled) = &self.filled {
            let text = self.text_with_reason();
            let mut request = Vec::new();
            declaration.append_form(&text, |i| filled.part(i), &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        } else if self.message.is_none() && self.reason.is_none() {
            Cow::Borrowed(declaration.request())
        } else {
            let text = self.text_with_reason();
            let mut request = Vec::with_capacity(declaration.request().len() + text.len());
            declaration.append_request(&text, &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        }
    }

    /// Whether a text that was made at run time holds a link (specification: Safe URL Handling).
    pub(super) fn has_link(&self) -> bool {
        self.message.as_deref().is_some_and(has_link)
            || self.lists.as_ref().is_some_and(Lists::have_link)
    }

    pub(super) fn digest(&self) -> QuestionDigest {
        let base = base(self.declaration);
        if self.message.is_none() && self.about.is_none() && self.name.is_empty() {
            return base;
        }
        let about = self.about.as_ref().map_or(&[][..], |a| &a[..]);
        short(&[&base, self.text().as_bytes(), self.name.as_bytes(), about])
    }
}

/// The JSON text of the request that gives the link of a page.
pub(super) fn page_request(message: &str, link: &str) -> String {
    let mut request =
        br#"{"method":"elicitation/create","params":{"mode":"url","message":"#.to_vec();
    write_string(message, &mut request);
    request.extend_from_slice(b",\"url\":");
    write_string(link, &mut request);
    request.extend_from_slice(b"}}");
    String::from_utf8(request).unwrap_or_default()
}

/// The digest of a type that is asked, as it is declared.
pub(crate) fn base(declaration: &Declaration) -> QuestionDigest {
    declaration.digest(|d| {
        let (mode, page) = match d.mode() {
            Mode::Page { name, .. } => ("url", name),
            _ => ("form", ""),
        };
        short(&[
            mode.as_bytes(),
            d.message().as_bytes(),
            d.open_schema().as_bytes(),
            page.as_bytes(),
        ])
    })
}

/// The digest of a question, or of a part of one.
pub(super) fn short(parts: &[&[u8]]) -> [u8; 16] {
    half(digest_of("question", parts))
}

/// An entry of `inputResponses`.
pub(super) enum Action<'a> {
    None,
    Accept(&'a str),
    Decline,
    Cancel,
}

impl<'a> Action<'a> {
    /// A missing `content` of an accepted form counts as one without members: whether that will do
    /// is for the form to say. Content beside a refusal is not looked at.
    pub(super) fn read(json: &'a str) -> Result<Self, &'static str> {
        let result: ElicitResult<'a> = serde_json::from_str(json).map_err(
            |_| "expected an object with `action`, and `content` where a form is accepted",
        )?;
        match result.action.as_deref() {
            Some("accept") => Ok(Self::Accept(
                result.content.and_then(|c| c.some()).unwrap_or("{}"),
            )),
            Some("decline") => Ok(Self::Decline),
            Some("cancel") => Ok(Self::Cancel),
            Some(_) => Err("`action` must be \"accept\", \"decline\" or \"cancel\""),
            None => Err("`action` is missing"),
        }
    }
}

pub(super) fn no_answer(recorded: &Recorded) -> NoAnswer {
    match recorded {
        Recorded::Cancelled => NoAnswer::Cancelled,
        Recorded::TimedOut => NoAnswer::TimedOut,
        Recorded::Invalid(why) => NoAnswer::Invalid(why.to_string()),
        Recorded::Declined
        | Recorded::Accepted(_)
        | Recorded::Result(_)
        | Recorded::LargeResult { .. } => NoAnswer::Declined,
    }
}
