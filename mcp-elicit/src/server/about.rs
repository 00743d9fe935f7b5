//! What a server says of itself: in `server/discover`, and in `_meta` of every result.

use serde_json::{Map, Value};

use super::common::Entry;
use super::registry::Offers;
use crate::wire::icon::Icon;
use crate::wire::{REVISION, meta};

/// How long a client may keep lists and `server/discover` unless the author says otherwise, in
/// milliseconds.
const TTL: u64 = 300_000;

/// Who the server is (basic/index, "Per-response protocol fields").
#[derive(Debug, Default)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) website: Option<String>,
    pub(crate) icons: Vec<Icon>,
}

/// What `server/discover` and the lists say besides what is offered.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) instructions: Option<String>,
    pub(crate) extensions: Map<String, Value>,
    pub(crate) experimental: Map<String, Value>,
    /// How many entries one page of a list has.
    pub(crate) page: usize,
    /// In milliseconds.
    pub(crate) list_ttl: u64,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            instructions: None,
            extensions: Map::new(),
            experimental: Map::new(),
            page: 0,
            list_ttl: TTL,
        }
    }
}

impl Identity {
    /// `"_meta":{..}` of every result: what names the server.
    pub(super) fn meta(&self) -> String {
        self.written(false)
    }

    /// The same in `server/discover`, with all that there is to show. Elsewhere that would be sent over and
    /// over.
    pub(super) fn whole_meta(&self) -> String {
        self.written(true)
    }

    fn written(&self, whole: bool) -> String {
        let mut info = Entry::new();
        info.put("name", &self.name);
        info.put("version", &self.version);
        let title = self.title.as_deref().filter(|it| *it != self.name);
        info.text("title", title.unwrap_or_default());
        if whole {
            info.text(
                "description",
                self.description.as_deref().unwrap_or_default(),
            );
            info.text("websiteUrl", self.website.as_deref().unwrap_or_default());
            if !self.icons.is_empty() {
                info.put("icons", &self.icons);
            }
        }
        let info = info.finish();
        format!(r#""_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}"#)
    }

    /// What is wrong with it.
    pub(super) fn check(&self, problems: &mut Vec<String>) {
        problems.extend(self.icons.iter().filter_map(Icon::fault));
        if let Some(url) = &self.website
            && !["https://", "http://"].iter().any(|it| url.starts_with(it))
        {
            problems.push(format!("the website `{url}` is no `https:` or `http:` URL"));
        }
    }
}

impl Shown {
    /// What is wrong with the extensions.
    pub(super) fn check(&self, problems: &mut Vec<String>) {
        let ids = self.extensions.keys();
        problems.extend(ids.filter_map(|id| meta::extension_fault(id)));
        let all = self.extensions.iter().chain(&self.experimental);
        let bare = all.filter(|(_, settings)| !settings.is_object());
        problems.extend(bare.map(|(id, _)| {
            format!("the settings of the extension `{id}` are no JSON object; without any write `json!({{}})`")
        }));
    }

    /// The result of `server/discover` after `"resultType":`, without `_meta`.
    pub(super) fn discover(&self, offers: Offers) -> String {
        let changes = r#"{"listChanged":true}"#;
        let watched = r#"{"subscribe":true,"listChanged":true}"#;
        let mut capabilities = Entry::new();
        for (name, has, settings) in [
            ("tools", true, changes),
            ("prompts", offers.prompts, changes),
            ("resources", offers.resources, watched),
            ("completions", offers.completions, "{}"),
            ("logging", true, "{}"),
        ] {
            if has {
                capabilities.json(name, settings);
            }
        }
        for (name, all) in [
            ("extensions", &self.extensions),
            ("experimental", &self.experimental),
        ] {
            if !all.is_empty() {
                capabilities.put(name, all);
            }
        }
        let mut out = Entry::new();
        out.put("supportedVersions", &[REVISION]);
        out.json("capabilities", &capabilities.finish());
        out.put("ttlMs", &self.list_ttl);
        out.put("cacheScope", "public");
        out.text(
            "instructions",
            self.instructions.as_deref().unwrap_or_default(),
        );
        format!(r#""complete",{}"#, out.members())
    }
}
