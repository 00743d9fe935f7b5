//! What tools, prompts and resources have in common: all three are listed, run and ask in the same way.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::reply::write_json;
use super::visible::Visible;
use crate::runtime::Need;
use crate::wire::icon::Icon;
use crate::wire::meta;

/// What is set alike of all three.
#[derive(Debug, Default)]
pub(crate) struct Common {
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) visible: Visible,
    pub(crate) asks: Vec<Need>,
    pub(crate) single_use: bool,
    pub(crate) fingerprint: u64,
    pub(crate) rev: u32,
}

impl Common {
    /// Adds what is listed of it.
    pub(crate) fn list(&self, entry: &mut Entry) {
        entry.text("title", self.title.as_deref().unwrap_or_default());
        if !self.icons.is_empty() {
            entry.put("icons", &self.icons);
        }
        if !self.meta.is_empty() {
            entry.put("_meta", &self.meta);
        }
    }

    /// What is wrong with it, where `what` is such as "the tool `pay`".
    pub(crate) fn faults(&self, what: &str) -> Vec<String> {
        let icons = self.icons.iter().filter_map(Icon::fault);
        let keys = self.meta.keys().filter_map(|key| meta::fault(key));
        icons
            .chain(keys)
            .map(|it| format!("{what}: {it}"))
            .collect()
    }
}

/// One entry of a list, as JSON text, with its members in the order in which they are put.
pub(crate) struct Entry(Vec<u8>);

impl Entry {
    pub(crate) fn new() -> Self {
        Self(vec![b'{'])
    }

    pub(crate) fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.key(key);
        write_json(value, &mut self.0);
    }

    /// A text, unless it is empty.
    pub(crate) fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.put(key, text);
        }
    }

    /// What is JSON already.
    pub(crate) fn json(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.extend_from_slice(json.as_bytes());
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push(b'}');
        // Only texts were put in.
        String::from_utf8(self.0).unwrap_or_default()
    }

    /// The members alone, for an object that has more.
    pub(crate) fn members(self) -> String {
        let mut text = String::from_utf8(self.0).unwrap_or_default();
        text.remove(0);
        text
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        write_json(key, &mut self.0);
        self.0.push(b':');
    }
}

macro_rules! common_settings {
    () => {
        /// The name as people should read it.
        pub fn title(mut self, title: impl Into<::std::borrow::Cow<'static, str>>) -> Self {
            self.common.title = Some(title.into());
            self
        }

        /// Adds a picture that a client may show beside the name; an [`Icon`](crate::Icon), or its URL.
        pub fn icon(mut self, icon: impl Into<$crate::wire::icon::Icon>) -> Self {
            self.common.icons.push(icon.into());
            self
        }

        /// Adds a member of `_meta` to its entry in the list, for extensions of the protocol. A key has a
        /// prefix, such as `com.example/rank`, or is a plain name.
        pub fn meta(
            mut self,
            key: impl Into<String>,
            value: impl Into<::serde_json::Value>,
        ) -> Self {
            self.common.meta.insert(key.into(), value.into());
            self
        }

        /// Shows it only to those for whom `decide` is true. To all others it is as if it was not there:
        /// they do not find it in lists, and to call it is the same error as to call what does not exist.
        ///
        /// It is asked in every request, so it must be quick: put what it needs into the principal, with
        /// [`Principal::with`](crate::auth::Principal::with), when the request is authenticated. Where it
        /// panics, the answer is no.
        pub fn only_if(
            mut self,
            decide: impl Fn(&$crate::auth::Principal) -> bool + Send + Sync + 'static,
        ) -> Self {
            self.common.visible = $crate::server::visible::Visible::only_if(decide);
            self
        }

        /// What it may ask, so that a client which cannot answer is refused before it starts: a
        /// [`Declaration`]($crate::declare::Declaration), or the [`need`]($crate::InAsks::need) of what can
        /// be asked. Every type with a page belongs here: a server knows its pages from what names them.
        pub fn asks(
            mut self,
            questions: impl IntoIterator<Item = impl Into<$crate::Need>>,
        ) -> Self {
            self.common
                .asks
                .extend(questions.into_iter().map(Into::into));
            self
        }

        /// Lets the state of a run be used no more than once.
        pub fn single_use(mut self) -> Self {
            self.common.single_use = true;
            self
        }

        /// The revision of the handler: runs that began in another one do not go on in this one.
        pub fn rev(mut self, rev: u32) -> Self {
            self.common.rev = rev;
            self
        }

        /// A number that changes when the handler's code does.
        pub fn fingerprint(mut self, fingerprint: u64) -> Self {
            self.common.fingerprint = fingerprint;
            self
        }
    };
}

pub(super) use common_settings;
