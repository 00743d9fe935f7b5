//! JSON-RPC errors and the HTTP status each goes with (basic/index, "Error Codes").

use std::borrow::Cow;

use super::message::Capabilities;

/// The code of a question that brought no answer, where there is no result to say so in.
const NO_ANSWER: i32 = 4001;

/// An error reply. Its text is for the peer and never holds internals.
#[derive(Debug, Clone)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) status: u16,
    pub(crate) message: Cow<'static, str>,
    /// JSON text of `data`.
    pub(crate) data: Option<String>,
}

impl RpcError {
    fn new(code: i32, status: u16, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            status,
            message: message.into(),
            data: None,
        }
    }

    /// -32700: the body is not JSON.
    pub(crate) fn parse() -> Self {
        Self::new(-32700, 400, "The message is not valid JSON.")
    }

    /// -32600: JSON, but not a message of this protocol.
    pub(crate) fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32600, 400, message)
    }

    /// -32601: no such method.
    pub(crate) fn method_not_found() -> Self {
        Self::new(
            -32601,
            404,
            format!(
                "Method not found. This server speaks revision {}.",
                super::REVISION
            ),
        )
    }

    /// -32602: parameters that this server cannot use.
    pub(crate) fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32602, 200, message)
    }

    /// -32603: this server failed; `id` finds the reason in its log.
    pub(crate) fn internal(id: &str) -> Self {
        Self::new(-32603, 200, format!("Internal error {id}."))
    }

    /// -32602: there is no such resource (server/resources, "Error Handling").
    pub(crate) fn resource_not_found(uri: &str) -> Self {
        let uri = serde_json::Value::from(uri);
        Self {
            data: Some(format!(r#"{{"uri":{uri}}}"#)),
            ..Self::new(-32602, 200, "Resource not found.")
        }
    }

    /// A handler's own error, in words that it chose for the client.
    pub(crate) fn told(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32603, 200, message)
    }

    /// The user did not answer. The code is outside of those that JSON-RPC reserves, as the
    /// specification wants it (basic/index, "Error Codes").
    pub(crate) fn no_answer(action: &str, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            data: Some(format!(r#"{{"action":"{action}"}}"#)),
            ..Self::new(NO_ANSWER, 200, message)
        }
    }

    /// -32020: headers and body say different things.
    pub(crate) fn header_mismatch(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32020, 400, message)
    }

    /// -32021: the client has not declared what the request needs.
    pub(crate) fn missing_capability(missing: Capabilities) -> Self {
        let Capabilities {
            form,
            url,
            sampling,
            sampling_tools,
            roots,
        } = missing;
        let all = [
            (form, "elicitation.form"),
            (url, "elicitation.url"),
            (sampling && !sampling_tools, "sampling"),
            (sampling_tools, "sampling.tools"),
            (roots, "roots"),
        ];
        let names: Vec<_> = all.iter().filter(|it| it.0).map(|it| it.1).collect();
        let inner = |parts: &[(bool, &str)]| {
            let parts: Vec<_> = parts.iter().filter(|it| it.0).map(|it| it.1).collect();
            parts.join(",")
        };
        let modes = inner(&[(form, r#""form":{}"#), (url, r#""url":{}"#)]);
        let elicitation = format!(r#""elicitation":{{{modes}}}"#);
        let required = inner(&[
            (form || url, &elicitation),
            (sampling && !sampling_tools, r#""sampling":{}"#),
            (sampling_tools, r#""sampling":{"tools":{}}"#),
            (roots, r#""roots":{}"#),
        ]);
        let names = names.join(" and ");
        Self {
            data: Some(format!(r#"{{"requiredCapabilities":{{{required}}}}}"#)),
            ..Self::new(
                -32021,
                400,
                format!("This request needs the client capability {names}."),
            )
        }
    }

    /// -32022: a revision that this server does not speak.
    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let requested = serde_json::Value::from(requested);
        Self {
            data: Some(format!(
                r#"{{"supported":["{}"],"requested":{requested}}}"#,
                super::REVISION
            )),
            ..Self::new(
                -32022,
                400,
                format!(
                    "Unsupported protocol version; this server speaks {}.",
                    super::REVISION
                ),
            )
        }
    }

    /// The same error with HTTP status 400, for faults that are found before dispatch.
    pub(crate) fn bad_request(mut self) -> Self {
        self.status = 400;
        self
    }

    /// Appends the whole error message. An id that could not be read is left out, never null.
    pub(crate) fn write(&self, id: Option<&str>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
        if let Some(id) = id {
            out.extend_from_slice(b"\"id\":");
            out.extend_from_slice(id.as_bytes());
            out.push(b',');
        }
        out.extend_from_slice(
            format!("\"error\":{{\"code\":{},\"message\":", self.code).as_bytes(),
        );
        super::write_string(&self.message, out);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_bytes());
        }
        out.extend_from_slice(b"}}");
    }
}
