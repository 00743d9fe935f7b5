//! The client's results of `sampling/createMessage` and `roots/list`, read from their JSON. What does not have
//! the shape of the specification is refused as a whole; nothing of it is in the reason.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::content::Role;
use super::object::{Raw, Text, object};
use super::sampling::{Block, Media, ToolUse, uses};

/// What the client's model has generated.
///
/// It may be anything, of a model, or of a client that only says so: look at it as you look at any
/// input.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// Who speaks: the model, as a rule.
    pub role: Role,
    /// What was generated. A client may send one block alone or a list; here it is always a list. It may
    /// be empty, has no [`Block::ToolUseResult`], and a [`Block::ToolUse`] only where tools were offered.
    pub content: Vec<Block>,
    /// The name of the model.
    pub model: String,
    /// Why the generation stopped, if the client knows.
    pub stop_reason: Option<StopReason>,
}

/// Why a generation stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model had said all.
    EndTurn,
    /// One of the texts of [`Sample::stop`](super::sampling::Sample::stop) came.
    StopSequence,
    /// As many tokens were generated as were allowed.
    MaxTokens,
    /// The model wants to use tools.
    ToolUse,
    /// Another reason, in the client's word.
    Other(String),
}

/// A directory or file that the client's user works with. It is a hint, and no permission: nobody
/// but this server keeps this server inside of it.
///
/// ```
/// use mcp_elicit::client::Root;
///
/// fn shown(root: &Root) -> &str {
///     root.name.as_deref().unwrap_or(&root.uri)
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Where it is: always a `file://` URI, as the client wrote it.
    pub uri: String,
    /// How people call it.
    pub name: Option<String>,
}

impl Sampled {
    /// A text of a model, for tests.
    ///
    /// ```
    /// let paris = mcp_elicit::client::Sampled::new("test-model", "Paris");
    /// assert_eq!((paris.text().as_str(), paris.model.as_str()), ("Paris", "test-model"));
    /// ```
    #[must_use]
    pub fn new(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: vec![Block::Text(text.into())],
            model: model.into(),
            stop_reason: Some(StopReason::EndTurn),
        }
    }

    /// The texts, one below the other; empty if there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|it| match it {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The tools that the model wants to use. Each needs its
    /// [`ToolUseResult`](super::sampling::ToolUseResult) in the next message.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        uses(&self.content)
    }

    /// Reads a `CreateMessageResult`.
    pub(crate) fn read(json: &str) -> Result<Self, &'static str> {
        const SHAPE: &str =
            "expected the result of sampling/createMessage: `role`, `content` and `model`";
        let it: CreateMessageResult<'_> = serde_json::from_str(json).map_err(|_| SHAPE)?;
        let (Some(role), Some(content), Some(model)) = (it.role, it.content, it.model) else {
            return Err(SHAPE);
        };
        let role = match &*role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return Err("`role` must be \"user\" or \"assistant\""),
        };
        Ok(Self {
            role,
            content: blocks(content.some().ok_or(SHAPE)?)?,
            model: model.0.into_owned(),
            stop_reason: text(it.stop_reason)?.map(StopReason::of),
        })
    }

    /// The same where no tools were offered: a use of one could not be followed by its result.
    pub(crate) fn read_without_tools(json: &str) -> Result<Self, &'static str> {
        let it = Self::read(json)?;
        let uses_one = it.tool_uses().next().is_some();
        if uses_one {
            return Err("it uses a tool, and none was offered");
        }
        Ok(it)
    }

    /// The result as a client writes it.
    #[cfg(feature = "testing")]
    pub(crate) fn json(&self) -> Value {
        let reason = self.stop_reason.as_ref().map(StopReason::text);
        serde_json::json!({
            "role": self.role,
            "content": super::sampling::Blocks(self.content.clone()),
            "model": self.model,
            "stopReason": reason,
        })
    }
}

impl StopReason {
    fn of(word: Text<'_>) -> Self {
        match &*word {
            "endTurn" => Self::EndTurn,
            "stopSequence" => Self::StopSequence,
            "maxTokens" => Self::MaxTokens,
            "toolUse" => Self::ToolUse,
            _ => Self::Other(word.0.into_owned()),
        }
    }

    #[cfg(feature = "testing")]
    fn text(&self) -> &str {
        match self {
            Self::EndTurn => "endTurn",
            Self::StopSequence => "stopSequence",
            Self::MaxTokens => "maxTokens",
            Self::ToolUse => "toolUse",
            Self::Other(word) => word,
        }
    }
}

impl Root {
    /// A root, for tests.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
        }
    }

    /// The same with a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads a `ListRootsResult`.
    pub(crate) fn read_all(json: &str) -> Result<Vec<Self>, &'static str> {
        const SHAPE: &str = "expected the result of roots/list: `roots`, each with a `uri`";
        let it: ListRootsResult<'_> = serde_json::from_str(json).map_err(|_| SHAPE)?;
        let roots = it.roots.ok_or(SHAPE)?.into_iter().map(|root| {
            let uri = root.uri.ok_or(SHAPE)?.0.into_owned();
            let fits = uri
                .bytes()
                .all(|b| b.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&b));
            if !fits || !uri.starts_with("file://") {
                return Err("each `uri` must be a file:// URI");
            }
            let name = text(root.name)?.map(|it| it.0.into_owned());
            Ok(Self { uri, name })
        });
        roots.collect()
    }
}

object! {
    struct CreateMessageResult<'a> {
        role: Text<'a> = "role",
        content: Raw<'a> = "content",
        model: Text<'a> = "model",
        stop_reason: Raw<'a> = "stopReason",
    }
}

object! {
    struct ListRootsResult<'a> {
        roots: Vec<WireRoot<'a>> = "roots",
    }
}

object! {
    struct WireRoot<'a> {
        uri: Text<'a> = "uri",
        name: Raw<'a> = "name",
    }
}

object! {
    /// A block of any kind.
    struct WireBlock<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        data: Text<'a> = "data",
        mime_type: Text<'a> = "mimeType",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Map<String, Value> = "input",
        meta: Value = "_meta",
    }
}

/// The value of an optional member; null counts as none.
fn text<'a>(raw: Option<Raw<'a>>) -> Result<Option<Text<'a>>, &'static str> {
    let json = raw.and_then(Raw::some);
    json.map(|json| serde_json::from_str(json).map_err(|_| "an optional member must be a string"))
        .transpose()
}

fn blocks(json: &str) -> Result<Vec<Block>, &'static str> {
    const SHAPE: &str = "`content` must be one block of content, or a list of them";
    if json.starts_with('[') {
        let all: Vec<WireBlock<'_>> = serde_json::from_str(json).map_err(|_| SHAPE)?;
        return all.into_iter().map(block).collect();
    }
    let one = serde_json::from_str(json).map_err(|_| SHAPE)?;
    Ok(vec![block(one)?])
}

fn block(it: WireBlock<'_>) -> Result<Block, &'static str> {
    const MEDIA: &str = "an image or a sound needs `data` in base64 and a `mimeType`";
    let kind = it.kind.as_deref().unwrap_or_default();
    Ok(match kind {
        "text" => Block::Text(it.text.ok_or("a text block needs `text`")?.0.into_owned()),
        "image" | "audio" => {
            let (Some(data), Some(mime)) = (it.data, it.mime_type) else {
                return Err(MEDIA);
            };
            let data = STANDARD.decode(&*data).map_err(|_| MEDIA)?;
            let media = Media::new(data, mime.0.into_owned());
            if kind == "image" {
                Block::Image(media)
            } else {
                Block::Audio(media)
            }
        }
        "tool_use" => {
            let (Some(id), Some(name), Some(input)) = (it.id, it.name, it.input) else {
                return Err("a use of a tool needs `id`, `name` and `input`");
            };
            Block::ToolUse(ToolUse {
                id: id.0.into_owned(),
                name: name.0.into_owned(),
                input,
                meta: it.meta,
            })
        }
        // A message of the user has it. It would make each further request to the model a wrong one.
        "tool_result" => return Err("a model generates no results of tools"),
        _ => {
            return Err("the `type` of a block must be text, image, audio or tool_use");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_kind_of_content_is_read_alone_and_in_a_list() {
        let blocks = json!([
            { "type": "text", "text": "a" },
            { "type": "image", "data": "/w==", "mimeType": "image/png", "annotations": { "priority": 1 } },
            { "type": "audio", "data": "", "mimeType": "audio/wav" },
            { "type": "tool_use", "id": "1", "name": "t", "input": { "city": "Paris" }, "_meta": { "x": 1 } },
        ]);
        let of = |content: &Value| {
            let json = json!({ "role": "assistant", "content": content, "model": "m" }).to_string();
            Sampled::read(&json).unwrap()
        };
        let all = of(&blocks);
        assert_eq!(all.content.len(), 4);
        for (i, one) in blocks.as_array().unwrap().iter().enumerate() {
            assert_eq!(of(one).content, [all.content[i].clone()]);
        }
        let tool_use = all.tool_uses().next().unwrap();
        assert_eq!(tool_use.input["city"], "Paris");
        #[derive(serde::Deserialize)]
        struct City {
            city: String,
        }
        assert_eq!(tool_use.read::<City>().unwrap().city, "Paris");
        assert_eq!(
            (all.text(), all.stop_reason.clone(), of(&json!([])).content),
            ("a".to_owned(), None, vec![])
        );
    }

    #[test]
    fn every_stop_reason_is_taken() {
        let of = |reason: Value| {
            let content = json!({ "type": "text", "text": "" });
            let json =
                json!({ "role": "user", "content": content, "model": "m", "stopReason": reason });
            Sampled::read(&json.to_string()).map(|it| it.stop_reason)
        };
        assert_eq!(of(json!("endTurn")), Ok(Some(StopReason::EndTurn)));
        assert_eq!(
            of(json!("stopSequence")),
            Ok(Some(StopReason::StopSequence))
        );
        assert_eq!(of(json!("maxTokens")), Ok(Some(StopReason::MaxTokens)));
        assert_eq!(of(json!("toolUse")), Ok(Some(StopReason::ToolUse)));
        assert_eq!(
            of(json!("refusal")),
            Ok(Some(StopReason::Other("refusal".to_owned())))
        );
        assert_eq!(of(json!(null)), Ok(None));
        assert!(of(json!(1)).is_err());
    }

    #[test]
    fn what_has_another_shape_is_refused() {
        for bad in [
            json!(null),
            json!([]),
            json!("Paris"),
            json!({}),
            json!({ "action": "decline" }),
            json!({ "action": "accept", "content": { "text": "Paris" } }),
            json!({ "role": "assistant", "content": { "type": "text", "text": "a" } }),
            json!({ "role": "assistant", "model": "m" }),
            json!({ "content": { "type": "text", "text": "a" }, "model": "m" }),
            json!({ "role": "system", "content": { "type": "text", "text": "a" }, "model": "m" }),
            json!({ "role": "assistant", "content": null, "model": "m" }),
            json!({ "role": "assistant", "content": "Paris", "model": "m" }),
            json!({ "role": "assistant", "content": {}, "model": "m" }),
            json!({ "role": "assistant", "content": [[]], "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "video" }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "text", "text": 1 }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "image", "data": "/w==" }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "image", "data": "?", "mimeType": "a/b" }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "t" }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "t", "input": [] }, "model": "m" }),
            json!({ "role": "assistant", "content": { "type": "tool_result", "toolUseId": "1" }, "model": "m" }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "toolUseId": "1", "content": [] }], "model": "m" }),
        ] {
            assert!(Sampled::read(&bad.to_string()).is_err(), "{bad}");
        }
        let twice = r#"{"role":"user","role":"assistant","content":[],"model":"m"}"#;
        assert!(Sampled::read(twice).is_err());
    }

    #[test]
    fn roots_are_file_uris() {
        let of = |roots: Value| Root::read_all(&json!({ "roots": roots }).to_string());
        let good = json!([
            { "uri": "file:///home/a%20b", "name": "A", "_meta": {} },
            { "uri": "file://host/share", "name": null },
        ]);
        assert_eq!(
            of(good),
            Ok(vec![
                Root::new("file:///home/a%20b").named("A"),
                Root::new("file://host/share")
            ])
        );
        assert_eq!(of(json!([])), Ok(vec![]));
        for bad in [
            json!(null),
            json!({}),
            json!("file:///"),
            json!(["file:///"]),
            json!([{ "name": "A" }]),
            json!([{ "uri": 1 }]),
            json!([{ "uri": "https://example.com" }]),
            json!([{ "uri": "/home" }]),
            json!([{ "uri": "file:/home" }]),
            json!([{ "uri": "file:///a b" }]),
            json!([{ "uri": "file:///\u{202e}" }]),
            json!([{ "uri": "file:///", "name": 1 }]),
        ] {
            assert!(of(bad.clone()).is_err(), "{bad}");
        }
        assert!(Root::read_all("{}").is_err());
        assert!(Root::read_all(r#"{"action":"accept"}"#).is_err());
    }
}
