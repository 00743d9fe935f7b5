//! Sealed texts: the state that a client carries, and cookies.
//!
//! ```text
//! state  = "e1." ‖ base64url( kid(4) ‖ nonce(12) ‖ ciphertext ‖ tag(16) )
//! cookie =         base64url( kid(4) ‖ nonce(12) ‖ ciphertext ‖ tag(16) )
//! ```
//!
//! The cipher is AES-256-GCM-SIV (RFC 8452), which stays safe if a nonce repeats. Associated data
//! are a label of the purpose and format, the key id and the server's name. The base64url has no
//! padding, and of all texts that decode to the same bytes only one is taken. The plaintext of a
//! state begins with the [header](super::binding) that binds it.

use super::base64url;
use super::binding::{self, Binding, HEADER_LEN, Rejected};
use super::digest::{PrincipalTag, RequestDigest};
use super::keyring::{Keys, Ring, Sealer};
use super::{NONCE_LEN, TAG_LEN};
use crate::time::UnixTime;
use aes_gcm_siv::AeadInOut as _;

/// Names the format, not the algorithm: that follows from it.
const PREFIX: &str = "e1.";
/// Key id and nonce.
const FRONT_LEN: usize = 4 + NONCE_LEN;
/// The longest cookie that a browser must take.
const COOKIE_MOST: usize = 4096;

impl Keys {
    /// Appends the sealed state to `out`. The nonce is random and used once.
    pub(crate) fn seal_state(
        &self,
        binding: &Binding<'_>,
        payload: &[u8],
        nonce: [u8; NONCE_LEN],
        out: &mut Vec<u8>,
    ) {
        let sealer = &self.state.first;
        let mut buffer = front(sealer, nonce, HEADER_LEN + payload.len());
        binding.write(&mut buffer);
        buffer.extend_from_slice(payload);
        if encrypt(sealer, &sealer.associated, nonce, &mut buffer) {
            out.extend_from_slice(PREFIX.as_bytes());
            base64url::append(&buffer, out);
        }
    }

    /// The payload of a state and when it was issued, if it is ours, whole, in time, and bound to
    /// this principal and this request. A text longer than `most` is refused before it is decoded.
    pub(crate) fn open_state(
        &self,
        token: &str,
        principal: &PrincipalTag,
        request: &RequestDigest,
        now: UnixTime,
        most: usize,
    ) -> Result<(Vec<u8>, UnixTime), Rejected> {
        if token.len() > most {
            return Err(Rejected::TooLarge);
        }
        let Some(text) = token.strip_prefix(PREFIX) else {
            return Err(if is_of_other_version(token) {
                Rejected::UnknownVersion
            } else {
                Rejected::Malformed
            });
        };
        let mut buffer = base64url::bytes(text).ok_or(Rejected::Malformed)?;
        if buffer.len() < FRONT_LEN + HEADER_LEN + TAG_LEN {
            return Err(Rejected::Malformed);
        }
        decrypt(&self.state, b"", &mut buffer)?;
        let plain = buffer.get(FRONT_LEN..).ok_or(Rejected::Malformed)?;
        let issued = binding::check(plain, principal, request, now)?;
        buffer.drain(..FRONT_LEN + HEADER_LEN);
        Ok((buffer, issued))
    }

    /// The value of a cookie that only this server can read.
    pub(crate) fn seal_cookie(&self, payload: &[u8], nonce: [u8; NONCE_LEN]) -> String {
        let sealer = &self.cookie.first;
        let mut buffer = front(sealer, nonce, payload.len());
        buffer.extend_from_slice(payload);
        if encrypt(sealer, &sealer.associated, nonce, &mut buffer) {
            base64url::text(&buffer)
        } else {
            String::new()
        }
    }

    /// What [`seal_cookie`](Self::seal_cookie) sealed, if it is ours and whole. A cookie has no
    /// expiry of its own: put one into the payload.
    pub(crate) fn open_cookie(&self, value: &str) -> Option<Vec<u8>> {
        if value.len() > COOKIE_MOST {
            return None;
        }
        let mut buffer = base64url::bytes(value)?;
        decrypt(&self.cookie, b"", &mut buffer).ok()?;
        buffer.drain(..FRONT_LEN);
        Some(buffer)
    }
}

/// A buffer with key id and nonce, and room for `len` bytes and their tag.
pub(super) fn front(sealer: &Sealer, nonce: [u8; NONCE_LEN], len: usize) -> Vec<u8> {
    let mut buffer = Vec::with_capacity(FRONT_LEN + len + TAG_LEN);
    buffer.extend_from_slice(&sealer.kid);
    buffer.extend_from_slice(&nonce);
    buffer
}

/// Encrypts, in place, what stands behind key id and nonce, and appends the tag. False only for
/// a plaintext of more than 64 GiB, which is beyond the cipher.
#[must_use]
pub(super) fn encrypt(
    sealer: &Sealer,
    associated: &[u8],
    nonce: [u8; NONCE_LEN],
    buffer: &mut Vec<u8>,
) -> bool {
    let Some(plain) = buffer.get_mut(FRONT_LEN..) else {
        return false;
    };
    let tag = sealer
        .cipher
        .encrypt_inout_detached(&nonce.into(), associated, plain.into());
    match tag {
        Ok(tag) => {
            buffer.extend_from_slice(&tag);
            true
        }
        Err(_) => false,
    }
}

/// Decrypts in place what [`encrypt`] made and takes off the tag; key id and nonce stay.
pub(super) fn decrypt(ring: &Ring, context: &[u8], buffer: &mut Vec<u8>) -> Result<(), Rejected> {
    let (front, rest) = buffer
        .split_first_chunk_mut::<FRONT_LEN>()
        .ok_or(Rejected::Malformed)?;
    let (kid, nonce) = front.split_first_chunk().ok_or(Rejected::Malformed)?;
    let nonce: &[u8; NONCE_LEN] = nonce.try_into().map_err(|_| Rejected::Malformed)?;
    let sealer = ring.find(*kid).ok_or(Rejected::UnknownKey)?;
    let (sealed, tag) = rest
        .split_last_chunk_mut::<TAG_LEN>()
        .ok_or(Rejected::Malformed)?;
    let with_context;
    let associated = if context.is_empty() {
        &*sealer.associated
    } else {
        with_context = sealer.associated_with(context);
        &with_context
    };
    sealer
        .cipher
        .decrypt_inout_detached(nonce.into(), associated, sealed.into(), (&*tag).into())
        .map_err(|_| Rejected::Tampered)?;
    let len = buffer.len().saturating_sub(TAG_LEN);
    buffer.truncate(len);
    Ok(())
}

/// Whether it looks like a token of an older or newer build: "e", digits, a dot.
fn is_of_other_version(token: &str) -> bool {
    token
        .strip_prefix('e')
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(n, _)| (1..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()))
}
