//! A generation that the client's model is asked for: the request as an author writes it, and what its
//! messages are made of. Plain data and its JSON; how the answer is read is in
//! [`sampled`](super::sampled).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::content::{Content, Role};
use super::sampled::Sampled;

/// What the client's model is asked for, for [`Cx::sample`](crate::Cx::sample).
///
/// ```
/// use mcp_elicit::client::Sample;
///
/// let sample = Sample::new(100)
///     .system("Answer in one word.")
///     .user("What is the capital of France?")
///     .temperature(0.1)
///     .stop("\n")
///     .prefer("claude-3-sonnet")
///     .intelligence(0.8);
/// ```
///
/// There is no setting for `includeContext`: its values are deprecated, and without it no context is
/// included.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "hand it to `cx.sample`"]
pub struct Sample {
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Preferences::is_empty")]
    model_preferences: Preferences,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Message {
    role: Role,
    content: Blocks,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Preferences {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_priority: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed_priority: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intelligence_priority: Option<f64>,
}

impl Preferences {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Hint {
    name: String,
}

/// A tool that the model may use while it generates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Offered {
    name: String,
    description: String,
    input_schema: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Choice {
    mode: ToolChoice,
}

/// Whether the model uses the tools that it is offered. Clients take it as [`Auto`](Self::Auto) if
/// nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoice {
    /// As it sees fit.
    Auto,
    /// At least one.
    Required,
    /// None, as is right for the last turn of a loop.
    None,
}

impl Sample {
    /// At most this many tokens are generated. Add at least one message.
    pub fn new(max_tokens: u32) -> Self {
        Self {
            messages: Vec::new(),
            model_preferences: Preferences::default(),
            system_prompt: None,
            temperature: None,
            max_tokens,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
        }
    }

    /// Adds a message of the user: a text, [`Block`]s, or [`ToolUseResult`]s, which stand alone in
    /// theirs.
    pub fn user(self, content: impl Into<Blocks>) -> Self {
        self.message(Role::User, content.into())
    }

    /// Adds a message of the model, such as the [`Sampled`] that the user's next one replies to. One
    /// without content adds nothing: a model may have nothing to say.
    pub fn assistant(self, content: impl Into<Blocks>) -> Self {
        let content = content.into();
        match content.0.is_empty() {
            true => self,
            false => self.message(Role::Assistant, content),
        }
    }

    fn message(mut self, role: Role, content: Blocks) -> Self {
        self.messages.push(Message { role, content });
        self
    }

    /// What the model is told before all messages. The client may change or leave it out.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// How random the answer may be; which values make sense depends on the model. A number, or the
    /// run ends with an error in the log.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Adds a text at which the generation stops.
    pub fn stop(mut self, sequence: impl Into<String>) -> Self {
        self.stop_sequences.push(sequence.into());
        self
    }

    /// Adds a model that would do, by a part of its name, after those that were named before. The
    /// client has the last word.
    pub fn prefer(mut self, model: impl Into<String>) -> Self {
        let name = model.into();
        self.model_preferences.hints.push(Hint { name });
        self
    }

    /// How important a low price is, from 0 to 1. A value outside is moved to the nearest of the two;
    /// one that is not a number is left out. So are the other two.
    pub fn cost(mut self, priority: f64) -> Self {
        self.model_preferences.cost_priority = within(priority);
        self
    }

    /// How important a quick answer is, from 0 to 1.
    pub fn speed(mut self, priority: f64) -> Self {
        self.model_preferences.speed_priority = within(priority);
        self
    }

    /// How important an able model is, from 0 to 1.
    pub fn intelligence(mut self, priority: f64) -> Self {
        self.model_preferences.intelligence_priority = within(priority);
        self
    }

    /// Parameters of one provider, as a JSON object. The client may leave them out.
    pub fn metadata(mut self, object: Value) -> Self {
        self.metadata = Some(object);
        self
    }

    /// Offers a tool to the model, with the JSON Schema of its arguments, an object's. It need be no
    /// tool of this server. A client that has not declared `sampling.tools` is not asked then: the
    /// request ends in -32021.
    pub fn tool(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Self {
        self.tools.push(Offered {
            name: name.into(),
            description: description.into(),
            input_schema,
        });
        self
    }

    /// Whether the model uses the tools.
    pub fn tool_choice(mut self, mode: ToolChoice) -> Self {
        self.tool_choice = Some(Choice { mode });
        self
    }

    /// Whether the client must have declared `sampling.tools`.
    pub(crate) fn needs_tools(&self) -> bool {
        let blocks = || self.messages.iter().flat_map(|it| &it.content.0);
        !self.tools.is_empty()
            || self.tool_choice.is_some()
            || blocks().any(|it| matches!(it, Block::ToolUse(_) | Block::ToolUseResult(_)))
    }

    /// The JSON text of the request.
    pub(crate) fn request(&self) -> String {
        // Nothing of it cannot be written.
        let params = serde_json::to_string(self).unwrap_or_default();
        format!(r#"{{"method":"sampling/createMessage","params":{params}}}"#)
    }

    /// Why it must not be sent, if there is a reason.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        if self.max_tokens == 0 {
            return Some("lets the model generate no token; give `Sample::new` more than 0");
        }
        if self.messages.is_empty() {
            return Some("has no message; add one by `.user(..)`");
        }
        if self.messages.iter().any(|it| it.content.0.is_empty()) {
            return Some("has a message without content");
        }
        if !self.temperature.is_none_or(f64::is_finite) {
            return Some("has a temperature that is no number");
        }
        if self.metadata.as_ref().is_some_and(|it| !it.is_object()) {
            return Some("has metadata that is no JSON object");
        }
        let is_object = |it: &Offered| it.input_schema.get("type") == Some(&json!("object"));
        if !self.tools.iter().all(is_object) {
            return Some("offers a tool whose schema is not of the type \"object\"");
        }
        self.unbalanced()
    }

    /// Each use of a tool is followed by its result, and results stand alone (client/sampling,
    /// "Message Content Constraints").
    fn unbalanced(&self) -> Option<&'static str> {
        let mut used: Vec<&str> = Vec::new();
        for Message { role, content } in &self.messages {
            let mut results: Vec<&str> =
                content.results().map(ToolUseResult::tool_use_id).collect();
            if !(used.is_empty() && results.is_empty()) {
                if *role != Role::User || results.len() != content.0.len() {
                    return Some(
                        "has uses of tools that are not followed by a message of the user with their results \
                         and nothing else",
                    );
                }
                results.sort_unstable();
                if results != used {
                    return Some("has results of tools that are not those of the uses before them");
                }
            }
            used = content.uses().map(|it| it.id.as_str()).collect();
            if !used.is_empty() && *role != Role::Assistant {
                return Some("has a use of a tool in a message of the user");
            }
            used.sort_unstable();
        }
        (!used.is_empty()).then_some("ends with a use of a tool that has no result")
    }
}

fn within(priority: f64) -> Option<f64> {
    (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0))
}

/// What a message is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(String),
    /// An image.
    Image(Media),
    /// A sound.
    Audio(Media),
    /// The model wants to use a tool.
    ToolUse(ToolUse),
    /// What came of that.
    ToolUseResult(ToolUseResult),
}

/// The bytes of an image or a sound, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media {
    /// The bytes; they are sent in base64.
    pub data: Vec<u8>,
    /// Their type, such as `image/png`.
    pub mime_type: String,
}

/// The model wants to use a tool that it was offered. Whether it is one of those, and whether its
/// arguments fit, is for the handler to look at: they are what a model made up.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolUse {
    /// Names this use.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// The client's own, to be given back with it.
    pub(super) meta: Option<Value>,
}

/// What came of the use of a tool, for the model to go on with.
///
/// ```
/// use mcp_elicit::client::{Sample, Sampled, ToolUseResult};
///
/// # fn weather(_: &str) -> &'static str { "18 degrees" }
/// fn next(before: Sample, answer: &Sampled) -> Sample {
///     let results: Vec<_> = answer
///         .tool_uses()
///         .map(|it| match it.name.as_str() {
///             "get_weather" => ToolUseResult::of(it, weather(it.input["city"].as_str().unwrap_or(""))),
///             _ => ToolUseResult::of(it, "There is no such tool.").error(),
///         })
///         .collect();
///     before.assistant(answer).user(results)
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUseResult {
    pub(super) tool_use_id: String,
    pub(super) content: Vec<Value>,
    pub(super) structured: Option<Value>,
    pub(super) is_error: bool,
}

impl Block {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An image, e.g. of the type `image/png`.
    #[must_use]
    pub fn image(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Image(Media::new(data.into(), mime_type.into()))
    }

    /// A sound, e.g. of the type `audio/wav`.
    #[must_use]
    pub fn audio(data: impl Into<Vec<u8>>, mime_type: impl Into<String>) -> Self {
        Self::Audio(Media::new(data.into(), mime_type.into()))
    }
}

impl Media {
    pub(super) fn new(data: Vec<u8>, mime_type: String) -> Self {
        Self { data, mime_type }
    }
}

impl ToolUse {
    /// The arguments as a type of yours.
    ///
    /// # Errors
    ///
    /// Those of serde, if they do not fit.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&Value::Object(self.input.clone()))
    }
}

impl ToolUseResult {
    /// What came of this use.
    #[must_use]
    pub fn of(tool_use: &ToolUse, content: impl Into<Content>) -> Self {
        let it = Self {
            tool_use_id: tool_use.id.clone(),
            content: Vec::new(),
            structured: None,
            is_error: false,
        };
        it.and(content)
    }

    /// Adds a further block.
    #[must_use]
    pub fn and(mut self, content: impl Into<Content>) -> Self {
        // Content has no part that could not be written.
        let block = serde_json::to_value(content.into()).unwrap_or_default();
        self.content.push(block);
        self
    }

    /// Says that the tool has failed.
    #[must_use]
    pub fn error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Which use it belongs to.
    #[must_use]
    pub fn tool_use_id(&self) -> &str {
        &self.tool_use_id
    }

    /// The blocks, as JSON.
    #[must_use]
    pub fn content(&self) -> &[Value] {
        &self.content
    }

    /// Whether the tool has failed.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.is_error
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        match self {
            Self::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Self::Image(it) | Self::Audio(it) => {
                let is_image = matches!(self, Self::Image(_));
                map.serialize_entry("type", if is_image { "image" } else { "audio" })?;
                map.serialize_entry("data", &STANDARD.encode(&it.data))?;
                map.serialize_entry("mimeType", &it.mime_type)?;
            }
            Self::ToolUse(it) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &it.id)?;
                map.serialize_entry("name", &it.name)?;
                map.serialize_entry("input", &it.input)?;
                if let Some(meta) = &it.meta {
                    map.serialize_entry("_meta", meta)?;
                }
            }
            Self::ToolUseResult(it) => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("toolUseId", &it.tool_use_id)?;
                map.serialize_entry("content", &it.content)?;
                if let Some(structured) = &it.structured {
                    map.serialize_entry("structuredContent", structured)?;
                }
                if it.is_error {
                    map.serialize_entry("isError", &true)?;
                }
            }
        }
        map.end()
    }
}

/// The content of one message: one block or several.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks(pub(super) Vec<Block>);

impl Blocks {
    fn uses(&self) -> impl Iterator<Item = &ToolUse> {
        uses(&self.0)
    }

    fn results(&self) -> impl Iterator<Item = &ToolUseResult> {
        self.0.iter().filter_map(|it| match it {
            Block::ToolUseResult(it) => Some(it),
            _ => None,
        })
    }
}

/// The uses of tools among some blocks.
pub(super) fn uses(blocks: &[Block]) -> impl Iterator<Item = &ToolUse> {
    blocks.iter().filter_map(|it| match it {
        Block::ToolUse(it) => Some(it),
        _ => None,
    })
}

impl Serialize for Blocks {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(to),
            all => all.serialize(to),
        }
    }
}

impl From<Block> for Blocks {
    fn from(block: Block) -> Self {
        Self(vec![block])
    }
}

impl From<&str> for Blocks {
    fn from(text: &str) -> Self {
        Block::text(text).into()
    }
}

impl From<String> for Blocks {
    fn from(text: String) -> Self {
        Block::Text(text).into()
    }
}

impl From<Vec<Block>> for Blocks {
    fn from(blocks: Vec<Block>) -> Self {
        Self(blocks)
    }
}

impl From<&Sampled> for Blocks {
    fn from(sampled: &Sampled) -> Self {
        Self(sampled.content.clone())
    }
}

impl From<Vec<ToolUseResult>> for Blocks {
    fn from(results: Vec<ToolUseResult>) -> Self {
        Self(results.into_iter().map(Block::ToolUseResult).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn use_of(id: &str) -> Block {
        Block::ToolUse(ToolUse {
            id: id.to_owned(),
            name: "get_weather".to_owned(),
            input: Map::new(),
            meta: Some(json!({ "cache": 1 })),
        })
    }

    fn result_of(id: &str) -> Block {
        let Block::ToolUse(it) = use_of(id) else {
            unreachable!()
        };
        Block::ToolUseResult(ToolUseResult::of(&it, "18 degrees"))
    }

    #[test]
    fn a_request_has_the_shape_of_the_specification() {
        let plain = Sample::new(100).user("Hello");
        assert_eq!(
            plain.request(),
            r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}],"maxTokens":100}}"#
        );
        let full = Sample::new(7)
            .system("Be brief")
            .user(vec![
                Block::text("a"),
                Block::image([255], "image/png"),
                Block::audio([0], "audio/wav"),
            ])
            .temperature(0.1)
            .stop("x")
            .stop("y")
            .prefer("sonnet")
            .prefer("claude")
            .cost(-1.0)
            .speed(2.0)
            .intelligence(f64::NAN)
            .metadata(json!({ "seed": 1 }))
            .tool("t", "d", json!({ "type": "object" }))
            .tool_choice(ToolChoice::Required);
        let sent: Value = serde_json::from_str(&full.request()).unwrap();
        assert_eq!(
            sent["params"],
            json!({
                "messages": [{ "role": "user", "content": [
                    { "type": "text", "text": "a" },
                    { "type": "image", "data": "/w==", "mimeType": "image/png" },
                    { "type": "audio", "data": "AA==", "mimeType": "audio/wav" },
                ] }],
                "modelPreferences": {
                    "hints": [{ "name": "sonnet" }, { "name": "claude" }],
                    "costPriority": 0.0,
                    "speedPriority": 1.0,
                },
                "systemPrompt": "Be brief",
                "temperature": 0.1,
                "maxTokens": 7,
                "stopSequences": ["x", "y"],
                "metadata": { "seed": 1 },
                "tools": [{ "name": "t", "description": "d", "inputSchema": { "type": "object" } }],
                "toolChoice": { "mode": "required" },
            })
        );
        let turn = Sample::new(7)
            .user("a")
            .assistant(use_of("1"))
            .user(result_of("1"));
        let sent: Value = serde_json::from_str(&turn.request()).unwrap();
        assert_eq!(
            sent["params"]["messages"][1]["content"],
            json!({ "type": "tool_use", "id": "1", "name": "get_weather", "input": {}, "_meta": { "cache": 1 } })
        );
        assert_eq!(
            sent["params"]["messages"][2]["content"],
            json!({ "type": "tool_result", "toolUseId": "1", "content": [{ "type": "text", "text": "18 degrees" }] })
        );
    }

    #[test]
    fn tools_of_any_kind_need_the_capability() {
        let plain = Sample::new(1).user("a");
        assert!(!plain.needs_tools());
        assert!(plain.clone().tool_choice(ToolChoice::None).needs_tools());
        let offered = plain.clone().tool("t", "d", json!({ "type": "object" }));
        assert!(offered.needs_tools());
        let turn = plain.assistant(use_of("1")).user(result_of("1"));
        assert!(turn.needs_tools());
    }

    #[test]
    fn what_must_not_be_sent_is_found() {
        let good = || Sample::new(1).user("a");
        for sample in [
            good(),
            good().assistant("b").user("c"),
            good().assistant(use_of("1")).user(result_of("1")).user("b"),
            good()
                .assistant(vec![Block::text("I look"), use_of("1"), use_of("2")])
                .user(vec![result_of("2"), result_of("1")]),
        ] {
            assert_eq!(sample.fault(), None, "{sample:?}");
        }
        for bad in [
            Sample::new(0).user("a"),
            Sample::new(1),
            Sample::new(1).user(Vec::<Block>::new()),
            good().temperature(f64::NAN),
            good().temperature(f64::INFINITY),
            good().metadata(json!([])),
            good().tool("t", "d", json!({ "type": "string" })),
            good().tool("t", "d", json!(true)),
            // Uses without their results, and results without a use.
            good().assistant(use_of("1")),
            good().assistant(use_of("1")).user("b"),
            good().assistant(use_of("1")).user(result_of("2")),
            good()
                .assistant(vec![use_of("1"), use_of("2")])
                .user(result_of("1")),
            good()
                .assistant(use_of("1"))
                .user(vec![result_of("1"), result_of("1")]),
            good()
                .assistant(use_of("1"))
                .user(vec![result_of("1"), Block::text("b")]),
            good().assistant(use_of("1")).assistant(result_of("1")),
            good().user(result_of("1")),
            good().user(use_of("1")).user(result_of("1")),
        ] {
            assert!(bad.fault().is_some(), "{bad:?}");
        }
    }
}
