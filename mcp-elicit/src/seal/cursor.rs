//! Cursors: where a list goes on, as a text that says nothing to anybody else.
//!
//! ```text
//! cursor = base64url( kid(4) ‖ nonce(12) ‖ place(8), encrypted ‖ tag(16) )
//! ```
//!
//! The place is encrypted, or its distance from the last one would tell how many entries are hidden
//! from the one who reads. One place of one list has one cursor under one ring, so that pages can be
//! cached: the nonce is a digest of both, which the cipher allows (RFC 8452).

use super::base64url;
use super::digest::digest_of;
use super::keyring::Keys;
use super::token::{decrypt, encrypt, front};
use super::{NONCE_LEN, TAG_LEN};

const PLACE_LEN: usize = 8;
/// Length of the text: 40 bytes without padding.
const TEXT_LEN: usize = (4 + NONCE_LEN + PLACE_LEN + TAG_LEN) * 4 / 3 + 1;

impl Keys {
    /// The cursor of a place in a list.
    pub(crate) fn cursor(&self, list: &str, place: u64) -> String {
        let sealer = &self.cursor.first;
        let place = place.to_be_bytes();
        let mut nonce = [0; NONCE_LEN];
        let digest = digest_of("cursor nonce", &[list.as_bytes(), &place]);
        nonce
            .iter_mut()
            .zip(digest)
            .for_each(|(to, from)| *to = from);
        let mut buffer = front(sealer, nonce, PLACE_LEN);
        buffer.extend_from_slice(&place);
        let associated = sealer.associated_with(list.as_bytes());
        match encrypt(sealer, &associated, nonce, &mut buffer) {
            true => base64url::text(&buffer),
            false => String::new(),
        }
    }

    /// The place of a cursor that this server gave out for this list, under any key of the ring.
    pub(crate) fn open_cursor(&self, list: &str, cursor: &str) -> Option<u64> {
        let text = Some(cursor).filter(|it| it.len() == TEXT_LEN)?;
        let mut buffer = base64url::bytes(text)?;
        decrypt(&self.cursor, list.as_bytes(), &mut buffer).ok()?;
        let place = buffer.get(4 + NONCE_LEN..)?.try_into().ok()?;
        Some(u64::from_be_bytes(place))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Keyring, Keys};

    #[test]
    fn a_cursor_is_of_one_list_and_one_server() {
        let ring = Keyring::new([1; 32]).unwrap();
        let keys = Keys::derive(&ring, "shop");
        let cursor = keys.cursor("tools", 250);
        assert_eq!(cursor, keys.cursor("tools", 250), "the same each time");
        assert_eq!(keys.open_cursor("tools", &cursor), Some(250));
        assert_eq!(keys.open_cursor("prompts", &cursor), None);
        let other = Keys::derive(&ring, "another shop");
        assert_eq!(other.open_cursor("tools", &cursor), None);
        let turned = Keyring::new([2; 32]).unwrap().and_old([1; 32]).unwrap();
        let turned = Keys::derive(&turned, "shop");
        assert_eq!(turned.open_cursor("tools", &cursor), Some(250));
        for at in 0..cursor.len() {
            let mut bytes = cursor.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(keys.open_cursor("tools", &changed), None, "{changed}");
            assert_eq!(keys.open_cursor("tools", &cursor[..at]), None);
        }
        assert_eq!(keys.open_cursor("tools", &format!("{cursor}A")), None);
    }
}
