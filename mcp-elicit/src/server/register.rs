//! Tools, prompts and resources that come and go while the server serves.

use std::fmt;

use super::app::{App, Inner};
use super::registry::Registry;
use super::settings;
use super::tool::{IntoTools, Toolset};
use crate::auth::Principal;
use crate::runtime::run::Feature;

/// What is wrong with what was to be registered. Nothing of it was.
pub struct RegisterError(Vec<String>);

impl RegisterError {
    /// Each thing that is wrong, and what to do about it.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing was registered:")?;
        self.0
            .iter()
            .try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

impl fmt::Debug for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RegisterError {}

impl App {
    /// Adds tools, prompts and resources while the server serves: all of them, or none if anything is
    /// wrong. They come last in the lists, and clients that listen and see any of it are told that these
    /// have changed.
    ///
    /// A call that has begun goes on with what there was; each round of a run begins with what there is
    /// then. What is done here holds for this process alone: where several serve the same clients,
    /// register in each. Give what belongs together at once, since each call makes the lists anew.
    ///
    /// ```
    /// use mcp_elicit::prelude::*;
    /// use mcp_elicit::{Cx, RawArguments, Tool};
    /// # use mcp_elicit::{Keyring, auth::DevUsers, store::MemoryStore};
    ///
    /// async fn run(_: Cx, arguments: RawArguments) -> String {
    ///     arguments.get().to_owned()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let keys = Keyring::new([7; 32])?;
    /// let server = Server::new("plugins", "1.0.0").auth(DevUsers);
    /// # let server = server.store(MemoryStore::new()).keyring(keys);
    /// let app = server.build().await?;
    /// app.register(Tool::raw("lint", "Check the text.", r#"{"type":"object"}"#, run))?;
    /// assert!(app.unregister_tool("lint"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The mistakes of [`Server::build`](crate::Server::build): a name or URI that is there already, a
    /// schema that is none, a page that nobody could open.
    pub fn register(&self, more: impl IntoTools) -> Result<(), RegisterError> {
        self.0.register(more.into_tools(), false)
    }

    /// As [`register`](Self::register), but what has the name or URI already is replaced at once, and
    /// keeps its place in the list. A run that is under way goes on in the new one, as after a deploy.
    ///
    /// # Errors
    /// Those of [`register`](Self::register), but for names that are there already.
    pub fn replace(&self, items: impl IntoTools) -> Result<(), RegisterError> {
        self.0.register(items.into_tools(), true)
    }

    /// Takes a tool away; false if there is none of this name. A call that has begun ends as usual; a run
    /// that waits for its user does not go on.
    pub fn unregister_tool(&self, name: &str) -> bool {
        self.0.unregister(Feature::Tool, name)
    }

    /// Takes a prompt away; false if there is none of this name.
    pub fn unregister_prompt(&self, name: &str) -> bool {
        self.0.unregister(Feature::Prompt, name)
    }

    /// Takes a resource away, or a template, which is named as it is listed; false if it is not there.
    pub fn unregister_resource(&self, uri: &str) -> bool {
        self.0.unregister(Feature::Resource, uri)
    }
}

impl Inner {
    fn register(&self, offered: Toolset, replace: bool) -> Result<(), RegisterError> {
        let mut problems = offered.faults();
        let pages = settings::pages_of(offered.asks());
        let known = &self.services.pages_known;
        settings::check_pages(&pages, &mut problems);
        settings::check_who_opens(&self.auth, self.services.has_browser, &pages, &mut problems);
        // Dropped last, when nothing is locked.
        let (mut refused, mut left) = (None, Vec::new());
        let (before, now) = self.registry.change(|now| {
            settings::check_new_pages(&pages, known, &mut problems);
            let next = now.with(offered, replace, &mut left, &mut problems);
            let is_taken = |(declaration, _)| known.add(declaration).is_err();
            if problems.is_empty() && pages.iter().copied().any(is_taken) {
                // A call has met another type just now.
                settings::check_new_pages(&pages, known, &mut problems);
            }
            match problems.is_empty() {
                true => Ok(next),
                false => {
                    refused = Some(next);
                    Err(RegisterError(problems))
                }
            }
        })?;
        self.changed(&before, &now);
        Ok(())
    }

    fn unregister(&self, feature: Feature, name: &str) -> bool {
        let changed = self
            .registry
            .change(|now| now.without(feature, name).ok_or(()));
        let Ok((before, now)) = changed else {
            return false;
        };
        self.changed(&before, &now);
        true
    }

    /// Tells clients that listen that lists have changed: those that see what was changed in them.
    fn changed(&self, before: &Registry, now: &Registry) {
        for feature in [Feature::Tool, Feature::Prompt, Feature::Resource] {
            let changed: Vec<_> = now.changed(before, feature).collect();
            if !changed.is_empty() {
                let sees = |who: &Principal| changed.iter().any(|it| it.to(who));
                self.services.topics.list_changed(feature, sees);
            }
        }
    }
}
