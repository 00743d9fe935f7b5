//! Headers that repeat parts of the body (basic/transports/streamable-http, "Request Metadata").
//!
//! Whoever stands between client and server routes by the headers, the server acts by the body;
//! so the two must say the same.

use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::wire::REVISION;
use crate::wire::error::RpcError;
use crate::wire::message::Params;

/// The values as they were sent. A header that was sent twice counts as one that cannot match.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mirrored<'a> {
    pub(crate) version: Option<&'a [u8]>,
    pub(crate) method: Option<&'a [u8]>,
    pub(crate) name: Option<&'a [u8]>,
    /// All of the request's head, for those that repeat arguments.
    pub(crate) all: Option<&'a Parts>,
}

/// Checks `MCP-Protocol-Version` against `_meta`.
pub(crate) fn version(mirrored: &Mirrored<'_>, in_body: Option<&str>) -> Result<(), RpcError> {
    let Some(header) = mirrored.version else {
        return Err(RpcError::header_mismatch(format!(
            "The header MCP-Protocol-Version is missing; this server speaks revision {REVISION}."
        )));
    };
    match in_body {
        Some(body) if body.as_bytes() != header => Err(RpcError::header_mismatch(
            "The header MCP-Protocol-Version differs from the protocolVersion of `_meta`.",
        )),
        None if header != REVISION.as_bytes() => Err(RpcError::unsupported_version(
            &String::from_utf8_lossy(header),
        )),
        _ => Ok(()),
    }
}

/// Checks `Mcp-Method` and `Mcp-Name` against the body.
pub(crate) fn method_and_name(
    mirrored: &Mirrored<'_>,
    method: &str,
    params: &Params<'_>,
) -> Result<(), RpcError> {
    match mirrored.method {
        None => {
            return Err(RpcError::header_mismatch(
                "The header Mcp-Method is missing.",
            ));
        }
        Some(header) if header != method.as_bytes() => {
            return Err(RpcError::header_mismatch(
                "The header Mcp-Method differs from the method of the body.",
            ));
        }
        Some(_) => {}
    }
    let (in_body, what) = match method {
        "tools/call" | "prompts/get" => (params.name.as_deref(), "name"),
        "resources/read" => (params.uri.as_deref(), "uri"),
        _ => return Ok(()),
    };
    let Some(in_body) = in_body else {
        return Err(RpcError::invalid_params(format!("`params.{what}` is missing.")).bad_request());
    };
    let Some(header) = mirrored.name else {
        return Err(RpcError::header_mismatch("The header Mcp-Name is missing."));
    };
    if header == in_body.as_bytes() && !is_encoded(header) {
        return Ok(());
    }
    match decode(header) {
        Some(decoded) if decoded == in_body.as_bytes() => Ok(()),
        _ => Err(RpcError::header_mismatch(format!(
            "The header Mcp-Name differs from the {what} of the body."
        ))),
    }
}

pub(super) fn is_encoded(header: &[u8]) -> bool {
    header.starts_with(b"=?base64?") && header.ends_with(b"?=")
}

/// The value behind the Base64 form ("Value Encoding"); `None` if it is malformed or not in it.
pub(super) fn decode(header: &[u8]) -> Option<Vec<u8>> {
    let inner = header.strip_prefix(b"=?base64?")?.strip_suffix(b"?=")?;
    STANDARD.decode(inner).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, name: &str) -> bool {
        let json = serde_json::json!({ "name": name }).to_string();
        let params: Params<'_> = serde_json::from_str(&json).unwrap();
        let mirrored = Mirrored {
            method: Some(b"tools/call"),
            name: Some(header.as_bytes()),
            ..Mirrored::default()
        };
        method_and_name(&mirrored, "tools/call", &params).is_ok()
    }

    #[test]
    fn a_name_is_compared_decoded() {
        assert!(check("echo", "echo"));
        assert!(!check("Echo", "echo"));
        assert!(check("=?base64?SGVsbG8=?=", "Hello"));
        assert!(!check("=?base64?SGVsbG8?=", "Hello"));
        assert!(!check("=?base64?SGVs!!!bG8=?=", "Hello"));
        assert!(check("SGVsbG8=", "SGVsbG8="));
        assert!(check("=?base64?SGVsbG8=", "=?base64?SGVsbG8="));
        // A literal that looks encoded must come encoded.
        assert!(!check("=?base64?SGVsbG8=?=", "=?base64?SGVsbG8=?="));
        assert!(check(
            "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
            "=?base64?literal?="
        ));
    }
}
