//! Content blocks: what a tool result or a prompt message is made of. Plain data and its JSON; it
//! uses the resources and does not know who sends a block or why.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};

use super::resource::{ResourceContents, ResourceLink, each_in};

/// Whom a block is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person at the client.
    User,
    /// The model.
    Assistant,
}

/// One block of a result: text, an image, audio, a link to a resource or a resource itself.
///
/// ```
/// use mcp_elicit::{Content, ResourceContents, ResourceLink, Role};
///
/// let blocks = [
///     Content::text("Three files changed").priority(1.0),
///     Content::image([0x89, b'P', b'N', b'G'], "image/png").audience([Role::User]),
///     Content::link(ResourceLink::new("file:///src/main.rs", "main.rs").mime_type("text/x-rust")),
///     Content::resource(ResourceContents::text("file:///a.txt", "hello").mime_type("text/plain")),
/// ];
/// assert_eq!(
///     serde_json::to_string(&blocks[0]).unwrap(),
///     r#"{"type":"text","text":"Three files changed","annotations":{"priority":1.0}}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Content {
    #[serde(flatten)]
    block: Block,
    #[serde(skip_serializing_if = "Annotations::is_empty")]
    annotations: Annotations,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    meta: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text { text: Cow<'static, str> },
    Image(Media),
    Audio(Media),
    ResourceLink(ResourceLink),
    Resource { resource: ResourceContents },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Media {
    data: String,
    mime_type: Cow<'static, str>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Annotations {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) audience: Vec<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) priority: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_modified: Option<String>,
}

/// The setters of what has annotations (server/resources, "Annotations").
macro_rules! annotation_settings {
    ($what:literal $(, $attribute:meta)?) => {
        #[doc = concat!("Whom the ", $what, " is meant for. Without it, for both.")]
        $(#[$attribute])?
        pub fn audience(mut self, audience: impl IntoIterator<Item = Role>) -> Self {
            self.annotations.audience = audience.into_iter().collect();
            self
        }

        #[doc = concat!("How important the ", $what, " is: 1 is required, 0 is entirely optional. A value")]
        /// outside is moved to the nearest of the two; one that is not a number is left out.
        $(#[$attribute])?
        pub fn priority(mut self, priority: f64) -> Self {
            self.annotations.priority = (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0));
            self
        }

        #[doc = concat!("When the ", $what, " was last modified, in ISO 8601, e.g. `2025-01-12T15:00:58Z`.")]
        $(#[$attribute])?
        pub fn last_modified(mut self, when: impl Into<String>) -> Self {
            self.annotations.last_modified = Some(when.into());
            self
        }
    };
}

pub(crate) use annotation_settings;

impl Annotations {
    pub(crate) fn is_empty(&self) -> bool {
        self.audience.is_empty() && self.priority.is_none() && self.last_modified.is_none()
    }
}

impl Content {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self::from_block(Block::Text { text: text.into() })
    }

    /// An image, e.g. of the type `image/png`. The bytes are sent in base64.
    #[must_use]
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<Cow<'static, str>>) -> Self {
        Self::from_block(Block::Image(Media::new(bytes.as_ref(), mime_type.into())))
    }

    /// A sound, e.g. of the type `audio/wav`. The bytes are sent in base64.
    #[must_use]
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<Cow<'static, str>>) -> Self {
        Self::from_block(Block::Audio(Media::new(bytes.as_ref(), mime_type.into())))
    }

    /// A resource the client may read or subscribe to.
    #[must_use]
    pub fn link(link: ResourceLink) -> Self {
        Self::from_block(Block::ResourceLink(link))
    }

    /// A resource with its contents.
    #[must_use]
    pub fn resource(resource: ResourceContents) -> Self {
        Self::from_block(Block::Resource { resource })
    }

    annotation_settings!("block", must_use);

    /// Adds a member of `_meta`, for extensions of the protocol.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// The text, if this is a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.block {
            Block::Text { text } => Some(text),
            _ => None,
        }
    }

    /// The text of a block that is nothing else than text, for the short way of writing it.
    pub(crate) fn plain_text(&self) -> Option<&str> {
        self.as_text()
            .filter(|_| self.annotations.is_empty() && self.meta.is_empty())
    }

    /// Shows every text of the block that its author wrote or passed on, base64 included.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        match &self.block {
            Block::Text { text } => see(text),
            Block::Image(media) | Block::Audio(media) => {
                see(&media.data);
                see(&media.mime_type);
            }
            Block::ResourceLink(link) => link.each_text(see),
            Block::Resource { resource } => resource.each_text(see),
        }
        let modified = self.annotations.last_modified.as_deref();
        modified.into_iter().for_each(&mut *see);
        each_in(&self.meta, see);
    }

    fn from_block(block: Block) -> Self {
        Self {
            block,
            annotations: Annotations::default(),
            meta: Map::new(),
        }
    }
}

impl Media {
    fn new(bytes: &[u8], mime_type: Cow<'static, str>) -> Self {
        Self {
            data: STANDARD.encode(bytes),
            mime_type,
        }
    }
}

impl From<&'static str> for Content {
    fn from(text: &'static str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<ResourceLink> for Content {
    fn from(link: ResourceLink) -> Self {
        Self::link(link)
    }
}

impl From<ResourceContents> for Content {
    fn from(resource: ResourceContents) -> Self {
        Self::resource(resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(content: &Content) -> String {
        serde_json::to_string(content).unwrap()
    }

    #[test]
    fn each_block_has_the_shape_of_the_specification() {
        assert_eq!(
            json(&Content::text("a \"b\"")),
            r#"{"type":"text","text":"a \"b\""}"#
        );
        assert_eq!(
            json(
                &Content::image(b"\xff\x00", "image/png")
                    .audience([Role::User])
                    .priority(0.9)
            ),
            r#"{"type":"image","data":"/wA=","mimeType":"image/png","annotations":{"audience":["user"],"priority":0.9}}"#
        );
        assert_eq!(
            json(&Content::audio(b"x", "audio/wav")),
            r#"{"type":"audio","data":"eA==","mimeType":"audio/wav"}"#
        );
        assert_eq!(
            json(
                &ResourceLink::new("file:///m.rs", "m.rs")
                    .description("Main")
                    .size(3)
                    .into()
            ),
            r#"{"type":"resource_link","uri":"file:///m.rs","name":"m.rs","description":"Main","size":3}"#
        );
        assert_eq!(
            json(
                &ResourceContents::text("file:///m.rs", "fn")
                    .mime_type("text/x-rust")
                    .into()
            ),
            r#"{"type":"resource","resource":{"uri":"file:///m.rs","mimeType":"text/x-rust","text":"fn"}}"#
        );
        assert_eq!(
            json(&ResourceContents::bytes("a:b", b"x").into()),
            r#"{"type":"resource","resource":{"uri":"a:b","blob":"eA=="}}"#
        );
    }

    #[test]
    fn a_priority_is_a_number_from_zero_to_one() {
        let text = |p| json(&Content::text("").priority(p));
        assert!(text(7.0).contains(r#""priority":1.0"#));
        assert!(text(f64::NEG_INFINITY).contains(r#""priority":0.0"#));
        assert!(!text(f64::NAN).contains("priority"));
    }

    #[test]
    fn every_text_can_be_looked_at() {
        let mut seen = String::new();
        let mut see = |text: &str| seen.push_str(text);
        Content::text("1").last_modified("2").each_text(&mut see);
        Content::image(b"x", "3").each_text(&mut see);
        Content::link(
            ResourceLink::new("4", "5")
                .title("6")
                .description("7")
                .mime_type("8"),
        )
        .each_text(&mut see);
        Content::resource(ResourceContents::text("9", "a").mime_type("b")).each_text(&mut see);
        assert_eq!(seen, "12eA==3456789ba");
    }
}
