//! Every metric of a server: its name, unit and labels, and every value that a label can have.
//!
//! What is measured is written here once; the guide's table is checked against it. A label is the
//! name of a tool, prompt, resource or page, which the author has given, or one of the words listed here. Never a
//! user, the key or text of a question, a link, an answer or anything else that a peer chooses: so
//! the number of series is known when the server is built.

use metrics::Unit;

/// A label whose values are known.
pub(crate) trait Value: Copy {
    /// All its values, in the order of [`at`](Self::at).
    const ALL: &'static [&'static str];
    /// Where in [`ALL`](Self::ALL) this value is.
    fn at(self) -> usize;

    fn text(self) -> &'static str {
        Self::ALL.get(self.at()).copied().unwrap_or_default()
    }
}

macro_rules! values {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $what:literal])* $value:ident $text:literal,)* })*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub(crate) enum $name { $($(#[doc = $what])* $value,)* }

            impl Value for $name {
                const ALL: &'static [&'static str] = &[$($text,)*];

                fn at(self) -> usize {
                    self as usize
                }
            }
        )*
    };
}

values! {
    /// How a run has ended.
    Ended {
        /// With a result.
        Ok "ok",
        /// With a result that is an error, which the client was told.
        Error "error",
        /// Because a question brought no answer.
        Unanswered "unanswered",
        /// Before it began: the arguments do not fit.
        BadArguments "bad_arguments",
        /// By an error for the client's mistake, such as an answer without `action`.
        Refused "refused",
        /// The client cannot be asked what has to be asked.
        Incapable "incapable",
        /// By an internal error; the log has it under its id.
        Internal "internal",
    }
    /// How a question is asked.
    Mode {
        /// By the client.
        Form "form",
        /// On a page of this server.
        Url "url",
        /// By the client's model.
        Sampling "sampling",
        /// By the client: its roots.
        Roots "roots",
    }
    /// Why a question is sent to the client.
    Why {
        /// For the first time.
        New "new",
        /// The last answer did not fit.
        Invalid "invalid",
        /// There was no answer, or the page is not finished.
        Open "open",
    }
    /// What became of a question.
    Outcome {
        Accepted "accepted",
        Declined "declined",
        Cancelled "cancelled",
        /// The answer did not fit; it was asked again, unless that had been done often enough.
        Invalid "invalid",
        /// It did not come in the time that the question has of its own.
        TimedOut "timed_out",
    }
    /// Why a `requestState` was refused.
    Reason {
        TooLarge "too_large",
        Malformed "malformed",
        UnknownVersion "unknown_version",
        /// Of the layout of a newer build.
        NewerVersion "newer_version",
        UnknownKey "unknown_key",
        Tampered "tampered",
        Expired "expired",
        FromTheFuture "from_the_future",
        OtherPrincipal "other_principal",
        OtherRequest "other_request",
        /// The run has lasted as long as the limit allows.
        RunDeadline "run_deadline",
        /// Used before, for a tool that allows one use.
        Used "used",
        /// Made by a newer revision of the tool.
        NewerRevision "newer_revision",
        /// Made by an older revision of the tool, with steps that are not done again.
        OlderRevision "older_revision",
    }
    /// How the holding of a retry has ended.
    Held {
        /// Its page was finished.
        Finished "finished",
        /// The page was not finished in time.
        Timeout "timeout",
        /// As many are held as the limit allows, so this one was not.
        Full "full",
        /// The server shuts down.
        Shutdown "shutdown",
        /// The client has gone.
        Gone "gone",
        /// The store failed.
        Failed "failed",
    }
    /// What became of a page, or of a request to it.
    Page {
        /// Its owner was shown the form.
        Shown "shown",
        /// Its owner gave what was asked.
        Stored "stored",
        /// Its owner declined.
        Declined "declined",
        /// What was typed does not fit.
        Invalid "invalid",
        /// The author's check of it could not be made.
        Unverified "unverified",
        /// Somebody else came with the link.
        IdentityMismatch "identity_mismatch",
        /// Nobody finished it in time; noticed when the next page is opened.
        Expired "expired",
        /// No page of that link is open.
        NotFound "not_found",
        /// Not from our own page, to another host, or too late.
        Refused "refused",
    }
    /// How the page of a question has ended.
    PageEnd {
        Stored "stored",
        Declined "declined",
    }
    /// Where an opened secret was found.
    Place {
        /// In what was to be sent.
        Result "result",
        /// In what was to be remembered for later rounds.
        Journal "journal",
        /// In what was to be logged.
        Log "log",
        /// In a progress or log message.
        Notice "notice",
    }
    /// A limit that was reached, by its name in [`Limits`](crate::Limits).
    Limit {
        Body "body",
        Read "read",
        AtOnce "at_once",
        Answers "answers",
        Sampled "sampled",
        SampledKept "sampled_kept",
        Rounds "rounds",
        Held "held",
        HeldByOne "held_by_one",
        Tickets "tickets",
        Claims "claims",
        Notices "notices",
        Listeners "listeners",
        ListenersOfOne "listeners_of_one",
        AnonymousListeners "anonymous_listeners",
        Subscribed "subscribed",
        CallRate "call_rate",
        AnonymousRate "anonymous_rate",
        PageRate "page_rate",
        AddressRate "address_rate",
        SignInRate "sign_in_rate",
    }
}

/// What a label of a metric holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Label {
    /// The name of a tool or prompt, or the URI of a resource or its template, as listed.
    Name,
    /// The last part of a page's path, or `-` where no page of this server is meant.
    Page,
    /// One of these.
    Of(&'static str, &'static [&'static str]),
}

impl Label {
    /// Whether it can have this value.
    pub(crate) fn takes(self, value: &str) -> bool {
        match self {
            Self::Name | Self::Page => true,
            Self::Of(_, values) => values.contains(&value),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Page => "page",
            Self::Of(name, _) => name,
        }
    }
}

/// What the name is a name of.
const FEATURE: Label = Label::Of("feature", &["tool", "prompt", "resource"]);

const fn of<V: Value>(name: &'static str) -> Label {
    Label::Of(name, V::ALL)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// One metric.
#[derive(Debug)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) unit: Unit,
    pub(crate) labels: &'static [Label],
    pub(crate) about: &'static str,
}

macro_rules! measures {
    ($(#[doc = $doc:literal] $id:ident: $kind:ident($name:literal, $unit:ident) [$($label:expr),*];)*) => {
        $(
            #[doc = $doc]
            pub(crate) static $id: Metric = Metric {
                name: $name,
                kind: Kind::$kind,
                unit: Unit::$unit,
                labels: &[$($label),*],
                about: $doc,
            };
        )*

        /// All of them, in the order of the guide.
        pub(crate) static ALL: &[&Metric] = &[$(&$id),*];
    };
}

measures! {
    /// Runs that began: first requests, without a `requestState`.
    BEGUN: Counter("mcp_elicit_runs_begun_total", Count) [FEATURE, Label::Name];
    /// Runs that ended, by how. A run that its client gave up is begun and never ended.
    RUNS: Counter("mcp_elicit_runs_total", Count) [FEATURE, Label::Name, of::<Ended>("result")];
    /// Rounds of a run that ended. Those in which only a page was waited for do not count.
    ROUNDS: Histogram("mcp_elicit_run_rounds", Count) [FEATURE, Label::Name];
    /// Questions sent to a client.
    ASKS: Counter("mcp_elicit_asks_total", Count) [FEATURE, Label::Name, of::<Mode>("mode"), of::<Why>("why")];
    /// Answers that came, by what they were, and those that did not come in time. A client that repeats its request is counted again.
    ANSWERS: Counter("mcp_elicit_answers_total", Count) [FEATURE, Label::Name, of::<Mode>("mode"), of::<Outcome>("outcome")];
    /// Time from sending a question to its answer. A decline after milliseconds is a program's, not a person's. Pages that were filled are in `mcp_elicit_page_seconds`.
    ANSWER_TIME: Histogram("mcp_elicit_answer_seconds", Seconds) [FEATURE, Label::Name, of::<Mode>("mode"), of::<Outcome>("outcome")];
    /// Uses of a `requestState` that were refused. The client is told none of these reasons.
    STATES_REFUSED: Counter("mcp_elicit_states_refused_total", Count) [FEATURE, Label::Name, of::<Reason>("reason")];
    /// Retries that are held now because their page is not finished.
    HELD: Gauge("mcp_elicit_held", Count) [];
    /// Retries that came before their page was finished, by what ended the wait.
    HOLDS: Counter("mcp_elicit_holds_total", Count) [of::<Held>("outcome")];
    /// What became of pages of questions, and of requests to them.
    PAGES: Counter("mcp_elicit_pages_total", Count) [Label::Page, of::<Page>("outcome")];
    /// Time from opening a page for somebody to that person's answer on it.
    PAGE_TIME: Histogram("mcp_elicit_page_seconds", Seconds) [Label::Page, of::<PageEnd>("outcome")];
    /// Secrets that the leak guard stopped. Each is a mistake in a handler.
    LEAKS: Counter("mcp_elicit_leaks_total", Count) [FEATURE, Label::Name, of::<Place>("place")];
    /// Requests that met a limit.
    LIMITS: Counter("mcp_elicit_limits_total", Count) [of::<Limit>("limit")];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(metric: &Metric) -> String {
        let kind = format!("{:?}", metric.kind).to_lowercase();
        let unit = match metric.unit {
            Unit::Seconds => "seconds",
            _ => "",
        };
        let labels = metric.labels.iter().map(|label| match label {
            Label::Name | Label::Page => format!("`{}`", label.name()),
            Label::Of(name, values) => format!("`{name}`: `{}`", values.join("`, `")),
        });
        let labels = labels.collect::<Vec<_>>().join("; ");
        format!(
            "| `{}` | {kind} | {unit} | {labels} | {} |",
            metric.name,
            metric.about.trim()
        )
    }

    #[test]
    fn the_guide_lists_them_all() {
        let table = ALL.iter().map(|m| row(m)).collect::<Vec<_>>().join("\n");
        let guide = include_str!("../../../docs/guide/operating.md");
        assert!(
            guide.contains(&table),
            "docs/guide/operating.md needs:\n{table}"
        );
        let listed = guide.lines().filter(|l| l.starts_with("| `mcp_elicit_"));
        assert_eq!(listed.count(), ALL.len(), "the guide lists one too many");
    }

    #[test]
    fn names_are_those_of_their_kind_and_given_once() {
        for (i, metric) in ALL.iter().enumerate() {
            let name = metric.name;
            assert_eq!(
                name.ends_with("_total"),
                metric.kind == Kind::Counter,
                "{name}"
            );
            assert_eq!(
                name.ends_with("_seconds"),
                metric.unit == Unit::Seconds,
                "{name}"
            );
            assert!(
                name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{name}"
            );
            assert!(ALL.iter().take(i).all(|m| m.name != name), "{name}");
        }
    }
}
