//! Mistakes that only show when a server runs, each with a name and a text for the log.
//!
//! The name stands first in the log and is the heading of its section in `docs/runtime-errors.md`.
//! It uses nothing else of the crate. What the client is told is not decided here.

macro_rules! mistakes {
    ($($(#[doc = $doc:literal])* $name:ident { $($field:ident: $ty:ty),* $(,)? } => $text:literal;)*) => {
        /// A mistake, with what its text tells of it.
        #[derive(Debug)]
        pub(crate) enum Mistake<'a> {
            $($(#[doc = $doc])* $name { $($field: $ty),* },)*
        }

        impl std::fmt::Display for Mistake<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$name { $($field),* } => {
                        f.write_str(concat!(stringify!($name), ": "))?;
                        write!(f, $text)
                    })*
                }
            }
        }

        /// All names, in the order of the page that explains them.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

mistakes! {
    /// A question is another one each time that the handler runs.
    VolatileQuestion { tool: &'a str, key: &'a str, before: Hex<'a>, now: Hex<'a> } =>
        "the question `{key}` of `{tool}` has changed twice in one run, by the same code (digest {before}, now {now}); \
         build its message and `.about(..)` from arguments, earlier answers, steps and `cx.now()` alone";
    /// Two questions, steps or effects have one name.
    DuplicateKey { tool: &'a str, what: &'a str, name: &'a str, instead: &'a str } =>
        "the {what} `{name}` is used twice in one run of `{tool}`; give {instead}";
    /// A handler went on without an answer that it had asked for.
    AbandonedAsk { tool: &'a str, key: &'a str } =>
        "`{tool}` returned Ok, but dropped the open question `{key}`; await it, or return an error";
    /// A question was awaited after it had its answer.
    AnsweredAsk { tool: &'a str, key: &'a str } =>
        "`{tool}` awaited the question `{key}` again after its answer; keep the answer";
    /// A question, step or effect in a task of its own.
    AskOffTask { tool: &'a str, name: &'a str } =>
        "`{name}` of `{tool}` is awaited in a task of its own; await it in the handler, and give the task what it needs";
    /// A question, step or effect inside of another step or effect.
    NestedCx { tool: &'a str, name: &'a str } =>
        "`{name}` is inside of a step, effect or check of `{tool}`; ask before it, and do one after the other";
    /// An effect after a confirmation that was made and not asked.
    UnaskedConfirmation { tool: &'a str, key: &'a str, effect: &'a str } =>
        "`{tool}` was to do `{effect}` after the question `{key}` was made and not awaited; `.await?` it";
    /// A page of others whose address a user must not be sent to.
    BadLink { tool: &'a str, why: &'a str } =>
        "the link of a question of `{tool}` {why}";
    /// A generation that no client's model must be asked for.
    BadSample { tool: &'a str, why: &'a str } =>
        "what `{tool}` asks the client's model for {why}";
    /// What a page of others was completed with is of another type.
    CompletionMismatch { line: usize, column: usize } =>
        "what was completed does not read as the type it is waited for with (line {line}, column {column})";
    /// A credential is taken back that was not asked for.
    NothingToReject { tool: &'a str, key: &'a str } =>
        "`{tool}` rejects `{key}`, which it has not asked for before; `ask` for it first, by the same `.named(..)`";
    /// What an older build recorded does not fit this one.
    JournalMismatch { tool: &'a str, why: &'a str, recorded: &'a str } =>
        "{why}, so a run of `{tool}` that had recorded {recorded} was ended";
    /// A run has recorded more than the client is to carry.
    StateTooLarge { tool: &'a str, size: usize, most: usize, largest: &'a str } =>
        "the state of `{tool}` has {size} bytes, over the limit of {most}; its largest entry is `{largest}`; \
         let steps return the part that later rounds need";
    /// A run without an end.
    TooManyRounds { tool: &'a str, rounds: u8, key: &'a str, times: u8 } =>
        "a run of `{tool}` was ended after {rounds} rounds; the last question was `{key}`, whose answers did not fit {times} times; \
         ask several things at once by `try_join!`, or raise `Limits::rounds`";
    /// More questions at once than answers are taken.
    TooManyQuestions { tool: &'a str, open: usize, most: usize } =>
        "`{tool}` asks {open} things at once, and no more than {most} answers are taken";
    /// A handler that does not come to an end.
    StalledHandler { tool: &'a str, after: std::time::Duration, waits: &'a str } =>
        "a handler of `{tool}` ran for {after:?} in one round and was ended; {waits}; let go of what is not awaited, \
         or raise `Limits::handler`";
    /// A page for a client that opens none.
    NoUrlCapability { tool: &'a str, key: &'a str } =>
        "`{tool}` asks `{key}` on a page, and the client opens none; see `can_ask`, or give the type `fallback = \"address\"`";
    /// A public server whose store ends with its process.
    ProcessLocalGuard {} =>
        "the store is local to this process: other instances do not see its pages and effects; give a data directory";
    /// A public server whose keys end with its process.
    EphemeralKey {} =>
        "a public base URL needs keys that outlive this process; give `.keyring(..)` or a data directory";
}

/// The first bytes of a digest, as digits.
#[derive(Debug)]
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .iter()
            .take(4)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../docs/runtime-errors.md");

    #[test]
    fn each_has_its_section_and_each_section_is_of_one() {
        let sections: Vec<_> = PAGE.lines().filter_map(|l| l.strip_prefix("## ")).collect();
        assert_eq!(sections, NAMES);
    }

    #[test]
    fn each_section_says_what_to_do() {
        for section in PAGE.split("\n## ").skip(1) {
            let (name, rest) = section.split_once("\n\n").unwrap();
            for part in ["**Seen by the client:**", "**Instead:**"] {
                assert!(rest.contains(part), "{name} lacks {part}");
            }
        }
    }

    #[test]
    fn the_name_comes_first() {
        let it = Mistake::AbandonedAsk {
            tool: "book",
            key: "seat",
        };
        assert!(
            it.to_string()
                .starts_with("AbandonedAsk: `book` returned Ok")
        );
        let hex = Hex(&[1, 0xab, 0, 255, 7]).to_string();
        assert_eq!(hex, "01ab00ff");
    }

    #[test]
    fn no_other_source_names_one() {
        let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![src];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                if path.ends_with("mistake.rs") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for name in NAMES {
                    let written = text.contains(&format!("\"{name}: "));
                    assert!(!written, "{} has a text for {name}", path.display());
                }
            }
        }
    }
}
