//! Short names of things that a token is bound to: the request and the principal.
//!
//! Both are the first 16 bytes of a SHA-256 over parts with their lengths before them. They stand
//! inside the encrypted state only, so they need no key.

use sha2::{Digest as _, Sha256};

use super::canonical;

/// Names one request: its method, its target and its arguments.
///
/// Two texts of the same arguments have the same digest: the order of members, white space
/// between tokens and the way a string is escaped do not matter. How a number is written does,
/// since what it means is the handler's business. Arguments that name a member twice, or nest
/// deeper than a sane form of JSON does, count by their bytes alone, as do some that were made to
/// be hard to put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RequestDigest(pub(super) [u8; 16]);

impl RequestDigest {
    /// The digest of, say, `tools/call`, the tool's name, and the JSON text of its arguments.
    pub(crate) fn of(method: &str, target: &str, arguments: Option<&str>) -> Self {
        let text = arguments.unwrap_or_default();
        let mut input = Vec::with_capacity(method.len() + target.len() + text.len() + 40);
        push(&mut input, method.as_bytes());
        push(&mut input, target.as_bytes());
        if arguments.is_some() {
            let start = input.len();
            input.push(1);
            if !canonical::append(text, &mut input) {
                input.truncate(start);
                input.push(2);
                input.extend_from_slice(text.as_bytes());
            }
        } else {
            input.push(0);
        }
        Self(first_half(Sha256::digest(&input).into()))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Names a principal without saying who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PrincipalTag(pub(super) [u8; 16]);

impl PrincipalTag {
    /// The tag of, say, tenant, issuer, subject and client. `["ab", "c"]` and `["a", "bc"]` differ.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut input = Vec::with_capacity(128);
        for part in parts {
            push(&mut input, part.as_bytes());
        }
        Self(first_half(Sha256::digest(&input).into()))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// SHA-256 over a label and parts, each with its length before it.
pub(crate) fn digest_of(label: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in std::iter::once(label.as_bytes()).chain(parts.iter().copied()) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn push(input: &mut Vec<u8>, part: &[u8]) {
    input.extend_from_slice(&(part.len() as u64).to_be_bytes());
    input.extend_from_slice(part);
}

fn first_half(hash: [u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    for (to, from) in half.iter_mut().zip(hash) {
        *to = from;
    }
    half
}
