//! Resources as results point to them and hold them. Plain data and its JSON; it uses nothing else
//! of the crate.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};

use super::icon::Icon;

/// A pointer to a resource. It need not be among the resources the server lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    uri: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    icons: Vec<Icon>,
}

impl ResourceLink {
    /// A link to `uri` under a short name.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
        }
    }

    /// The name as people should read it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What the resource is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The type of the contents, e.g. `text/x-rust`.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// How many bytes the contents have, before any encoding.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Adds a picture that a client may show beside the name; an [`Icon`], or its URL.
    #[must_use]
    pub fn icon(mut self, icon: impl Into<Icon>) -> Self {
        self.icons.push(icon.into());
        self
    }

    /// Shows every text of the link.
    pub(super) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        see(&self.uri);
        see(&self.name);
        self.icons.iter().for_each(|it| it.each_text(see));
        for text in [&self.title, &self.description, &self.mime_type] {
            text.as_deref().into_iter().for_each(&mut *see);
        }
    }
}

/// A resource with its contents, text or bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceContents {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    meta: Map<String, Value>,
    #[serde(flatten)]
    body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Body {
    Text { text: String },
    Blob { blob: String },
}

impl ResourceContents {
    /// The resource `uri`, whose contents are text.
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            meta: Map::new(),
            body: Body::Text { text: text.into() },
        }
    }

    /// The resource `uri`, whose contents are bytes. They are sent in base64.
    #[must_use]
    pub fn bytes(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let blob = STANDARD.encode(bytes.as_ref());
        Self {
            uri: uri.into(),
            mime_type: None,
            meta: Map::new(),
            body: Body::Blob { blob },
        }
    }

    /// The type of the contents, e.g. `text/plain`.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a member of `_meta`, for extensions of the protocol.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// With this type, unless it has one.
    #[must_use]
    pub(crate) fn or_mime_type(mut self, mime_type: Option<&str>) -> Self {
        self.mime_type = self.mime_type.or_else(|| mime_type.map(ToOwned::to_owned));
        self
    }

    /// Shows every text of the resource, base64 included.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        see(&self.uri);
        self.mime_type.as_deref().into_iter().for_each(&mut *see);
        each_in(&self.meta, see);
        match &self.body {
            Body::Text { text } => see(text),
            Body::Blob { blob } => see(blob),
        }
    }
}

/// Shows every text in a JSON object, names included.
pub(super) fn each_in(object: &Map<String, Value>, see: &mut dyn FnMut(&str)) {
    fn each(value: &Value, see: &mut dyn FnMut(&str)) {
        match value {
            Value::String(text) => see(text),
            Value::Array(values) => values.iter().for_each(|it| each(it, see)),
            Value::Object(object) => each_in(object, see),
            _ => {}
        }
    }
    for (name, value) in object {
        see(name);
        each(value, see);
    }
}
