//! One request or notification of a client, borrowed from its bytes.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::error::RpcError;
use super::object::{AnyObject, Raw, Text, object};

object! {
    /// The JSON-RPC envelope.
    struct Message<'a> {
        jsonrpc: Text<'a> = "jsonrpc",
        id: Raw<'a> = "id",
        method: Text<'a> = "method",
        params: Params<'a> = "params",
        result: IgnoredAny = "result",
        error: IgnoredAny = "error",
    }
}

object! {
    /// What a pipe needs to know of a message before it is read in full.
    struct Head<'a> {
        id: Raw<'a> = "id",
        method: Text<'a> = "method",
        params: Raw<'a> = "params",
        result: IgnoredAny = "result",
        error: IgnoredAny = "error",
    }
}

object! {
    /// The parameters of `notifications/cancelled`.
    struct Cancelled<'a> {
        request: Raw<'a> = "requestId",
    }
}

object! {
    /// The id alone, of a message with other faults.
    struct Identified<'a> {
        id: Raw<'a> = "id",
    }
}

object! {
    /// The parameters of all methods together: none has two meanings for one member. Those that few
    /// messages have are boxed, so that all others are moved about the faster.
    struct Params<'a> {
        meta: Meta<'a> = "_meta",
        name: Text<'a> = "name",
        uri: Text<'a> = "uri",
        arguments: Raw<'a> = "arguments",
        input_responses: Raw<'a> = "inputResponses",
        request_state: Raw<'a> = "requestState",
        cursor: Raw<'a> = "cursor",
        reference: Box<Reference<'a>> = "ref",
        argument: Box<Argument<'a>> = "argument",
        context: Box<Context<'a>> = "context",
        notifications: Raw<'a> = "notifications",
        // Of `initialize`, by which older clients begin.
        version: Raw<'a> = "protocolVersion",
    }
}

object! {
    /// What `completion/complete` is about.
    struct Reference<'a> {
        kind: Text<'a> = "type",
        name: Text<'a> = "name",
        uri: Text<'a> = "uri",
    }
}

object! {
    /// What the user has typed.
    struct Argument<'a> {
        name: Text<'a> = "name",
        value: Text<'a> = "value",
    }
}

object! {
    /// What the user has chosen already.
    struct Context<'a> {
        arguments: Raw<'a> = "arguments",
    }
}

object! {
    /// What every request says about itself (basic/index, "_meta").
    struct Meta<'a> {
        version: Text<'a> = "io.modelcontextprotocol/protocolVersion",
        capabilities: ClientCapabilities<'a> = "io.modelcontextprotocol/clientCapabilities",
        client: ClientInfo<'a> = "io.modelcontextprotocol/clientInfo",
        progress: Raw<'a> = "progressToken",
        log: Raw<'a> = "io.modelcontextprotocol/logLevel",
    }
}

object! {
    /// Who the client says it is. For display alone, never for a decision.
    struct ClientInfo<'a> {
        name: Raw<'a> = "name",
    }
}

object! {
    /// What the client can do, as far as this server asks for it.
    struct ClientCapabilities<'a> {
        elicitation: ElicitationCapability<'a> = "elicitation",
        sampling: SamplingCapability<'a> = "sampling",
        roots: Raw<'a> = "roots",
    }
}

object! {
    /// The modes of elicitation that the client knows.
    struct ElicitationCapability<'a> {
        form: AnyObject = "form",
        url: AnyObject = "url",
    }
}

object! {
    /// What the client's model can be asked for.
    struct SamplingCapability<'a> {
        tools: AnyObject = "tools",
    }
}

/// What the client can be asked for, or what of it is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Capabilities {
    pub(crate) form: bool,
    pub(crate) url: bool,
    pub(crate) sampling: bool,
    /// With tools that the model may use. It is never there without `sampling`.
    pub(crate) sampling_tools: bool,
    pub(crate) roots: bool,
}

impl Capabilities {
    /// What of `needed` is not there.
    pub(crate) const fn lacks(self, needed: Self) -> Self {
        Self {
            form: needed.form && !self.form,
            url: needed.url && !self.url,
            sampling: needed.sampling && !self.sampling,
            sampling_tools: needed.sampling_tools && !self.sampling_tools,
            roots: needed.roots && !self.roots,
        }
    }

    /// Both together.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            form: self.form || other.form,
            url: self.url || other.url,
            sampling: self.sampling || other.sampling,
            sampling_tools: self.sampling_tools || other.sampling_tools,
            roots: self.roots || other.roots,
        }
    }

    /// An empty `elicitation` object means form mode (client/elicitation, "Capabilities").
    pub(crate) fn of(declared: &ClientCapabilities<'_>) -> Self {
        let (elicitation, sampling) = (&declared.elicitation, &declared.sampling);
        let url = elicitation.as_ref().is_some_and(|it| it.url.is_some());
        Self {
            form: elicitation
                .as_ref()
                .is_some_and(|it| it.form.is_some() || it.url.is_none()),
            url,
            sampling: sampling.is_some(),
            sampling_tools: sampling.as_ref().is_some_and(|it| it.tools.is_some()),
            // What older revisions had in it does not count.
            roots: declared
                .roots
                .and_then(Raw::some)
                .is_some_and(|it| it.starts_with('{')),
        }
    }
}

/// The id of a request, as the client wrote it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// A string or an integer; never null (basic/index, "Requests").
    pub(crate) fn of(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let digits = text.strip_prefix('-').unwrap_or(text);
        let integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        // The parser has not looked at escapes: half a surrogate pair would make the reply unreadable.
        let string = text.starts_with('"')
            && (!text.contains('\\') || serde_json::from_str::<Text<'_>>(text).is_ok());
        (string || integer).then_some(Self(text))
    }

    /// Its JSON text.
    pub(crate) fn as_json(self) -> &'a str {
        self.0
    }
}

/// Parses one message; the error carries the id where it could be read.
pub(crate) fn parse(
    body: &[u8],
    deepest: usize,
) -> Result<Message<'_>, (Option<String>, RpcError)> {
    if is_deeper_than(body, deepest) {
        return Err((
            None,
            RpcError::invalid_request("The message is nested too deeply."),
        ));
    }
    // The parser does not look at the bytes of strings that it skips.
    let text = std::str::from_utf8(body).map_err(|_| (None, RpcError::parse()))?;
    // The usual message takes this one pass. What goes wrong is found out by a second, slower one.
    serde_json::from_str(text).map_err(|e| classify(body, &e))
}

/// Whether objects and arrays are nested deeper than `most`.
fn is_deeper_than(body: &[u8], most: usize) -> bool {
    // Counting all openers is a tight loop over bytes; only a message with many is looked at twice.
    if openers(body) <= most {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// How many brackets and braces are opened, wherever they stand. The two differ in one bit, and a
/// count of up to 255 fits a byte, so that the compiler can compare and add many bytes at once.
fn openers(body: &[u8]) -> usize {
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|b| u8::from(b | 0x20 == b'{')).sum::<u8>();
    body.chunks(255)
        .map(|chunk| usize::from(in_chunk(chunk)))
        .sum()
}

/// Says what is wrong with a body that could not be read in one pass.
fn classify(body: &[u8], error: &serde_json::Error) -> (Option<String>, RpcError) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else {
        return (None, RpcError::parse());
    };
    let Some(object) = value.as_object() else {
        let what = if value.is_array() {
            "Batches are not part of this revision; send one message per request."
        } else {
            "A message must be a JSON object."
        };
        return (None, RpcError::invalid_request(what));
    };
    // As it was written: a number may be too large for any type. Of two ids neither is known to
    // be the one.
    let id = serde_json::from_slice::<Identified<'_>>(body).ok();
    let id = id.and_then(|it| it.id?.0).and_then(Id::of);
    let id = id.map(|id| id.as_json().to_owned());
    if !object
        .get("method")
        .is_some_and(serde_json::Value::is_string)
    {
        return (id, RpcError::invalid_request("`method` must be a string."));
    }
    if !object.get("jsonrpc").is_some_and(|v| v == "2.0") {
        return (id, RpcError::invalid_request("`jsonrpc` must be \"2.0\"."));
    }
    if error.to_string().starts_with("duplicate field") {
        return (
            id,
            RpcError::invalid_request("A member of the message is given twice."),
        );
    }
    (
        id,
        RpcError::invalid_params(wrong_params(object.get("params"))).bad_request(),
    )
}

/// Names the parameter that has the wrong type.
fn wrong_params(params: Option<&serde_json::Value>) -> &'static str {
    let Some(params) = params.and_then(|p| p.as_object()) else {
        return "`params` must be an object.";
    };
    for (member, text) in [
        ("name", "`params.name` must be a string."),
        ("uri", "`params.uri` must be a string."),
    ] {
        if params.get(member).is_some_and(|v| !v.is_string()) {
            return text;
        }
    }
    for (member, text) in [
        (
            "ref",
            "`params.ref` must be an object; its type, name and uri are strings.",
        ),
        (
            "argument",
            "`params.argument` must be an object; its name and value are strings.",
        ),
        ("context", "`params.context` must be an object."),
    ] {
        let texts = |v: &serde_json::Value| {
            let members = ["type", "name", "uri", "value"];
            v.as_object().is_some_and(|v| {
                members
                    .iter()
                    .all(|m| v.get(*m).is_none_or(|v| v.is_string()))
            })
        };
        if params.get(member).is_some_and(|v| !texts(v)) {
            return text;
        }
    }
    "`params._meta` must be an object; its protocolVersion a string, its clientCapabilities and \
     clientInfo objects, and so the entries of clientCapabilities."
}

object! {
    /// One entry of `inputResponses`: the client's answer to an `elicitation/create`.
    struct ElicitResult<'a> {
        action: Text<'a> = "action",
        content: Raw<'a> = "content",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> i32 {
        parse(body.as_bytes(), 64).unwrap_err().1.code
    }

    #[test]
    fn refuses_what_is_no_message() {
        for (body, expected) in [
            ("", -32700),
            ("{", -32700),
            ("nul", -32700),
            ("\u{7f}", -32700),
            ("null", -32600),
            ("[]", -32600),
            (r#"["2.0",1,"tools/list",{}]"#, -32600),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
                -32600,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (r#"{"jsonrpc":2,"id":1,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, -32600),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#,
                -32602,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":1}}"#,
                -32602,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":[]}}"#,
                -32602,
            ),
        ] {
            assert_eq!(code(body), expected, "{body}");
        }
    }

    #[test]
    fn counts_depth_outside_of_strings_only() {
        let nested = |n: usize| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"a","id":1,"x":{}{}}}"#,
                "[".repeat(n),
                "]".repeat(n)
            )
        };
        assert!(parse(nested(63).as_bytes(), 64).is_ok());
        assert!(parse(nested(64).as_bytes(), 64).is_err());
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{}\"["}}"#,
            "[{".repeat(500)
        );
        assert!(parse(text.as_bytes(), 64).is_ok());
    }

    #[test]
    fn takes_strings_and_integers_as_ids() {
        for (text, good) in [
            ("1", true),
            ("-7", true),
            ("\"a\"", true),
            ("1.5", false),
            (r#""a\ud83e\udd80""#, true),
            (r#""a\ud83e""#, false),
            ("null", false),
            ("{}", false),
            ("-", false),
        ] {
            let raw: Option<Box<RawValue>> = RawValue::from_string(text.to_owned()).ok();
            assert_eq!(raw.as_deref().and_then(Id::of).is_some(), good, "{text}");
        }
    }

    #[test]
    fn an_empty_elicitation_entry_means_forms() {
        let of = |json| Capabilities::of(&serde_json::from_str(json).unwrap());
        let none = Capabilities::default();
        assert_eq!(of(r#"{}"#), none);
        let form = Capabilities { form: true, ..none };
        assert_eq!(of(r#"{"elicitation":{}}"#), form);
        let url = Capabilities { url: true, ..none };
        assert_eq!(of(r#"{"elicitation":{"url":{}}}"#), url);
        let both = Capabilities { url: true, ..form };
        assert_eq!(of(r#"{"elicitation":{"form":{},"url":{}}}"#), both);
    }

    #[test]
    fn sampling_and_roots_are_declared_by_an_object() {
        let of = |json| Capabilities::of(&serde_json::from_str(json).unwrap());
        let none = Capabilities::default();
        let sampling = Capabilities {
            sampling: true,
            ..none
        };
        assert_eq!(of(r#"{"sampling":{}}"#), sampling);
        assert_eq!(of(r#"{"sampling":{"context":{}}}"#), sampling);
        let sampling_tools = Capabilities {
            sampling_tools: true,
            ..sampling
        };
        assert_eq!(of(r#"{"sampling":{"tools":{}}}"#), sampling_tools);
        let roots = Capabilities {
            roots: true,
            ..none
        };
        assert_eq!(of(r#"{"roots":{"listChanged":true}}"#), roots);
        for nothing in [r#"{"roots":[]}"#, r#"{"roots":null}"#, r#"{"roots":true}"#] {
            assert_eq!(of(nothing), none, "{nothing}");
        }
        let bad = serde_json::from_str::<ClientCapabilities<'_>>(r#"{"sampling":true}"#);
        assert!(bad.is_err());
    }
}
