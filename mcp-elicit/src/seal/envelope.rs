//! Sealed bytes that stay on the server: vault rows and large results.
//!
//! ```text
//! row  = version(1) ‖ kid(4) ‖ nonce(12) ‖ wrapped data key(32) ‖ tag(16)
//!                   ‖ nonce(12) ‖ ciphertext ‖ tag(16)
//! blob = kid(4) ‖ nonce(12) ‖ ciphertext ‖ tag(16)
//! ```
//!
//! Each version of a row has a random data key of its own, wrapped by the ring's vault key, so
//! that a rotation need not touch the credential. Both ciphertexts of a row are bound to the
//! caller's context, the row's key, so that rows cannot be swapped.

use aes_gcm_siv::{AeadInOut as _, Aes256GcmSiv, KeyInit as _};
use zeroize::Zeroizing;

use super::keyring::Keys;
use super::token::{decrypt, encrypt, front};
use super::{NONCE_LEN, TAG_LEN};

const ROW_VERSION: u8 = 1;
/// The whole wrapped data key: key id, nonce, key, tag.
const WRAPPED_LEN: usize = 4 + NONCE_LEN + 32 + TAG_LEN;
/// Bound into the second ciphertext, so that it is not taken for another kind of text.
const ROW_LABEL: &[u8] = b"mcp-elicit/row/1";

/// What became of sealed bytes when the keys were changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turned {
    /// They were under the first key already.
    Current,
    Anew(Vec<u8>),
    /// No key of the ring opens them.
    Unreadable,
}

impl Keys {
    /// Seals a credential. `random` fills its argument with random bytes; `context` names the
    /// row, and the same context is needed to open it.
    pub(crate) fn seal_row(
        &self,
        context: &[u8],
        plain: &[u8],
        random: &mut dyn FnMut(&mut [u8]),
    ) -> Vec<u8> {
        let mut data_key = Zeroizing::new([0; 32]);
        random(data_key.as_mut_slice());
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce);
        let mut sealed = Vec::with_capacity(1 + WRAPPED_LEN + NONCE_LEN + plain.len() + TAG_LEN);
        sealed.push(ROW_VERSION);
        sealed.extend_from_slice(&self.wrap(context, &data_key, random));
        sealed.extend_from_slice(&nonce);
        let start = sealed.len();
        sealed.extend_from_slice(plain);
        let tag = sealed.get_mut(start..).and_then(|plain| {
            Aes256GcmSiv::new((&*data_key).into())
                .encrypt_inout_detached(&nonce.into(), &row_context(context), plain.into())
                .ok()
        });
        match tag {
            Some(tag) => sealed.extend_from_slice(&tag),
            // Beyond 64 GiB the cipher ends; nothing of the plaintext may stay.
            None => sealed.clear(),
        }
        sealed
    }

    /// The credential of a row, if it was sealed for this context by a key of the ring.
    pub(crate) fn open_row(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (wrapped, body) = split(sealed)?;
        let data_key = self.unwrap_key(context, wrapped)?;
        let (nonce, rest) = body.split_first_chunk::<NONCE_LEN>()?;
        let (sealed, tag) = rest.split_last_chunk::<TAG_LEN>()?;
        let mut plain = Zeroizing::new(sealed.to_vec());
        Aes256GcmSiv::new((&*data_key).into())
            .decrypt_inout_detached(
                nonce.into(),
                &row_context(context),
                plain.as_mut_slice().into(),
                tag.into(),
            )
            .ok()?;
        Some(plain)
    }

    /// The row with its data key wrapped by the first key of the ring; none if it is so already,
    /// or cannot be opened. The credential itself is not decrypted.
    pub(crate) fn rewrap_row(
        &self,
        context: &[u8],
        sealed: &[u8],
        random: &mut dyn FnMut(&mut [u8]),
    ) -> Option<Vec<u8>> {
        let (wrapped, body) = split(sealed)?;
        if wrapped.starts_with(&self.vault.first.kid) {
            return None;
        }
        let data_key = self.unwrap_key(context, wrapped)?;
        let wrapped = self.wrap(context, &data_key, random);
        Some([&[ROW_VERSION], &*wrapped, body].concat())
    }

    /// Seals what is too large for the state.
    pub(crate) fn seal_blob(
        &self,
        context: &[u8],
        plain: &[u8],
        nonce: [u8; NONCE_LEN],
    ) -> Vec<u8> {
        let sealer = &self.blob.first;
        let mut buffer = front(sealer, nonce, plain.len());
        buffer.extend_from_slice(plain);
        if !encrypt(sealer, &sealer.associated_with(context), nonce, &mut buffer) {
            buffer.clear();
        }
        buffer
    }

    /// What [`seal_blob`](Self::seal_blob) sealed for this context.
    pub(crate) fn open_blob(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut buffer = Zeroizing::new(sealed.to_vec());
        decrypt(&self.blob, context, &mut buffer).ok()?;
        buffer.drain(..4 + NONCE_LEN);
        Some(buffer)
    }

    /// A row for the first key of the ring: that none has to be made, the row with its data key wrapped
    /// anew, or that no key opens it.
    pub(crate) fn turn_row(
        &self,
        context: &[u8],
        sealed: &[u8],
        random: &mut dyn FnMut(&mut [u8]),
    ) -> Turned {
        let is_current = |(wrapped, _): (&[u8], &[u8])| wrapped.starts_with(&self.vault.first.kid);
        if split(sealed).is_some_and(is_current) {
            return Turned::Current;
        }
        let anew = self.rewrap_row(context, sealed, random);
        anew.map_or(Turned::Unreadable, Turned::Anew)
    }

    /// The same of a blob, which has no data key and is sealed anew as a whole.
    pub(crate) fn turn_blob(
        &self,
        context: &[u8],
        sealed: &[u8],
        nonce: [u8; NONCE_LEN],
    ) -> Turned {
        if sealed.starts_with(&self.blob.first.kid) {
            return Turned::Current;
        }
        match self.open_blob(context, sealed) {
            Some(plain) => Turned::Anew(self.seal_blob(context, &plain, nonce)),
            None => Turned::Unreadable,
        }
    }

    fn wrap(
        &self,
        context: &[u8],
        data_key: &[u8; 32],
        random: &mut dyn FnMut(&mut [u8]),
    ) -> Vec<u8> {
        let sealer = &self.vault.first;
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce);
        let mut wrapped = front(sealer, nonce, data_key.len());
        wrapped.extend_from_slice(data_key);
        if !encrypt(
            sealer,
            &sealer.associated_with(context),
            nonce,
            &mut wrapped,
        ) {
            wrapped.clear();
        }
        wrapped
    }

    fn unwrap_key(&self, context: &[u8], wrapped: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let mut buffer = Zeroizing::new(wrapped.to_vec());
        decrypt(&self.vault, context, &mut buffer).ok()?;
        let (_, key) = buffer.split_last_chunk::<32>()?;
        Some(Zeroizing::new(*key))
    }
}

fn row_context(context: &[u8]) -> Vec<u8> {
    [ROW_LABEL, context].concat()
}

fn split(sealed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (version, rest) = sealed.split_first()?;
    if *version != ROW_VERSION {
        return None;
    }
    rest.split_at_checked(WRAPPED_LEN)
}
