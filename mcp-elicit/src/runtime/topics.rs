//! Who listens for changes, and what has changed for each since it was told last.
//!
//! A listener that is slow is not told twice of one change: what has changed is a set, not a queue.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::places::{Full, Place, Places};
use super::run::{Feature, owner};
use super::services::Services;
use crate::auth::Principal;

/// What a client wants to hear of (basic/patterns/subscriptions, "Notification Filter").
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) lists: Lists,
    pub(crate) resources: BTreeSet<Box<str>>,
}

/// The three lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

impl Lists {
    fn and(self, other: Self) -> Self {
        Self {
            tools: self.tools && other.tools,
            prompts: self.prompts && other.prompts,
            resources: self.resources && other.resources,
        }
    }

    /// That of a feature alone.
    fn of(feature: Feature) -> Self {
        let mut lists = Self::default();
        match feature {
            Feature::Tool => lists.tools = true,
            Feature::Prompt => lists.prompts = true,
            Feature::Resource => lists.resources = true,
        }
        lists
    }

    fn or(self, other: Self) -> Self {
        Self {
            tools: self.tools || other.tools,
            prompts: self.prompts || other.prompts,
            resources: self.resources || other.resources,
        }
    }
}

/// All listeners of a server.
#[derive(Debug)]
pub(crate) struct Topics {
    places: Places,
    all: Mutex<Listeners>,
}

#[derive(Debug, Default)]
struct Listeners {
    next: u64,
    by_number: HashMap<u64, Arc<Listener>>,
}

#[derive(Debug)]
struct Listener {
    who: Principal,
    wants: Filter,
    changed: Mutex<Filter>,
    told: Notify,
}

impl Topics {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            places: Places::new(most, most_of_one),
            all: Mutex::default(),
        }
    }

    /// Begins to collect what `wants` asks for. Who have no name would share one: they are counted
    /// together with all others only.
    pub(crate) fn listen(&self, who: &Principal, wants: Filter) -> Result<Listening<'_>, Full> {
        let place = self
            .places
            .enter((!who.is_anonymous()).then(|| owner(who)))?;
        let listener = Arc::new(Listener {
            who: who.clone(),
            wants,
            changed: Mutex::default(),
            told: Notify::new(),
        });
        let mut all = self.lock();
        let number = all.next;
        all.next = number.wrapping_add(1);
        all.by_number.insert(number, Arc::clone(&listener));
        Ok(Listening {
            topics: self,
            number,
            listener,
            _place: place,
        })
    }

    /// A list has changed, in what some of them see.
    pub(crate) fn list_changed(&self, feature: Feature, sees: impl Fn(&Principal) -> bool) {
        let lists = Lists::of(feature);
        // An author says who sees what, and may do anything there: not under the lock.
        let all: Vec<_> = self.lock().by_number.values().map(Arc::clone).collect();
        for listener in all {
            let heard = listener.wants.lists.and(lists);
            if heard != Lists::default() && sees(&listener.who) {
                listener.tell(|changed| changed.lists = changed.lists.or(heard));
            }
        }
    }

    fn resource_updated(&self, uri: &str) {
        for listener in self.lock().by_number.values() {
            if let Some(uri) = listener.wants.resources.get(uri) {
                listener.tell(|changed| {
                    changed.resources.insert(uri.clone());
                });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    fn tell(&self, note: impl FnOnce(&mut Filter)) {
        note(&mut self.changed());
        self.told.notify_one();
    }

    fn take(&self) -> Filter {
        std::mem::take(&mut self.changed())
    }

    fn changed(&self) -> MutexGuard<'_, Filter> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who listens, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listening<'t> {
    topics: &'t Topics,
    number: u64,
    listener: Arc<Listener>,
    _place: Place<'t>,
}

impl Listening<'_> {
    /// Waits for a change, and takes all there are.
    pub(crate) async fn changed(&self) -> Filter {
        loop {
            let told = self.listener.told.notified();
            let changed = self.listener.take();
            if changed != Filter::default() {
                return changed;
            }
            told.await;
        }
    }
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.topics.lock().by_number.remove(&self.number);
    }
}

/// Tells clients that listen what has changed (`subscriptions/listen`). From
/// [`App::changes`](crate::App::changes) or [`Cx::changes`](crate::Cx::changes); cheap to clone.
///
/// It reaches the clients of this process. A change that several processes share is told at each.
///
/// ```no_run
/// use mcp_elicit::prelude::*;
///
/// # async fn save(_: &str) -> std::io::Result<()> { Ok(()) }
/// /// Change the checklist of an employee.
/// #[tool]
/// async fn change_checklist(cx: &Cx, employee: String) -> Result<String, CallError> {
///     cx.once("save", async |_| Ok(save(&employee).await?)).by(&employee).await?;
///     cx.changes().resource_updated(&format!("hr://checklist/{employee}"));
///     Ok("Changed".into())
/// }
/// ```
#[derive(Clone)]
pub struct Changes(Arc<Services>);

impl Changes {
    pub(crate) fn new(services: Arc<Services>) -> Self {
        Self(services)
    }

    /// Which tools there are has changed, or how one is described.
    pub fn tools_changed(&self) {
        self.list_changed(Feature::Tool);
    }

    /// Which prompts there are has changed, or how one is described.
    pub fn prompts_changed(&self) {
        self.list_changed(Feature::Prompt);
    }

    /// Which resources or templates there are has changed, or how one is described.
    pub fn resources_changed(&self) {
        self.list_changed(Feature::Resource);
    }

    /// What the resource at `uri` holds has changed.
    pub fn resource_updated(&self, uri: &str) {
        self.0.topics.resource_updated(uri);
    }

    fn list_changed(&self, feature: Feature) {
        self.0.topics.list_changed(feature, |_| true);
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: Lists = Lists {
        tools: true,
        prompts: false,
        resources: false,
    };

    #[tokio::test]
    async fn a_listener_hears_what_it_wants_once_for_many_changes() {
        let topics = Topics::new(10, 10);
        let wants = Filter {
            lists: TOOLS,
            resources: BTreeSet::from(["a:b".into()]),
        };
        let listening = topics
            .listen(&Principal::anonymous(), wants.clone())
            .unwrap();
        topics.list_changed(Feature::Prompt, |_| true);
        topics.list_changed(Feature::Tool, |_| true);
        topics.list_changed(Feature::Tool, |_| true);
        topics.resource_updated("a:b");
        topics.resource_updated("a:c");
        assert_eq!(listening.changed().await, wants);
        topics.list_changed(Feature::Tool, |_| true);
        let changed = listening.changed().await;
        assert_eq!((changed.lists, changed.resources.len()), (TOOLS, 0));
    }

    #[tokio::test]
    async fn who_wants_nothing_of_it_is_not_woken() {
        let topics = Topics::new(10, 10);
        let listening = topics
            .listen(&Principal::anonymous(), Filter::default())
            .unwrap();
        topics.list_changed(Feature::Tool, |_| true);
        topics.resource_updated("a:b");
        let waited =
            tokio::time::timeout(std::time::Duration::from_millis(20), listening.changed());
        assert!(waited.await.is_err());
    }

    #[test]
    fn who_has_gone_is_forgotten() {
        let topics = Topics::new(1, 1);
        drop(
            topics
                .listen(&Principal::anonymous(), Filter::default())
                .unwrap(),
        );
        assert!(topics.lock().by_number.is_empty());
        assert!(
            topics
                .listen(&Principal::anonymous(), Filter::default())
                .is_ok()
        );
    }
}
