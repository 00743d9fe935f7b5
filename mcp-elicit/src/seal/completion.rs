//! Tokens that name something outside of this server, for whoever reports its end.
//!
//! ```text
//! token = "c1." ‖ base64url( kid(4) ‖ nonce(12) ‖ id(16), encrypted ‖ tag(16) )
//! ```
//!
//! One id has one token under one ring, so that a request which carries it is the same in each
//! round: the nonce is a digest of the id, which the cipher allows (RFC 8452: equal plaintexts show
//! as equal, and nothing else).

use super::base64url;
use super::digest::digest_of;
use super::keyring::Keys;
use super::token::{decrypt, encrypt, front};
use super::{NONCE_LEN, TAG_LEN};

const PREFIX: &str = "c1.";
const ID_LEN: usize = 16;
/// Length of the text behind the prefix.
const TEXT_LEN: usize = (4 + NONCE_LEN + ID_LEN + TAG_LEN) / 3 * 4;

impl Keys {
    /// The token of a completion.
    pub(crate) fn completion_token(&self, id: &[u8; ID_LEN]) -> String {
        let sealer = &self.completion.first;
        let mut nonce = [0; NONCE_LEN];
        let digest = digest_of("completion nonce", &[id]);
        nonce
            .iter_mut()
            .zip(digest)
            .for_each(|(to, from)| *to = from);
        let mut buffer = front(sealer, nonce, id.len());
        buffer.extend_from_slice(id);
        if encrypt(sealer, &sealer.associated, nonce, &mut buffer) {
            format!("{PREFIX}{}", base64url::text(&buffer))
        } else {
            String::new()
        }
    }

    /// The id in a token that this server made, under any key of the ring.
    pub(crate) fn open_completion_token(&self, token: &str) -> Option<[u8; ID_LEN]> {
        let text = token.strip_prefix(PREFIX).filter(|t| t.len() == TEXT_LEN)?;
        let mut buffer = base64url::bytes(text)?;
        decrypt(&self.completion, b"", &mut buffer).ok()?;
        buffer.get(4 + NONCE_LEN..)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Keyring, Keys};

    fn keys(ring: &Keyring) -> Keys {
        Keys::derive(ring, "shop")
    }

    #[test]
    fn a_token_is_read_by_its_own_server_alone() {
        let ring = Keyring::new([1; 32]).unwrap();
        let mine = keys(&ring);
        let token = mine.completion_token(&[7; 16]);
        assert_eq!(token, mine.completion_token(&[7; 16]), "the same each time");
        assert_ne!(token, mine.completion_token(&[8; 16]));
        assert_eq!(mine.open_completion_token(&token), Some([7; 16]));
        let other = Keys::derive(&ring, "another shop");
        assert_eq!(other.open_completion_token(&token), None);
        let turned = keys(&Keyring::new([2; 32]).unwrap().and_old([1; 32]).unwrap());
        assert_eq!(turned.open_completion_token(&token), Some([7; 16]));
        let gone = keys(&Keyring::new([2; 32]).unwrap());
        assert_eq!(gone.open_completion_token(&token), None);
    }

    #[test]
    fn a_token_is_whole_or_nothing() {
        let keys = keys(&Keyring::new([1; 32]).unwrap());
        let token = keys.completion_token(&[7; 16]);
        assert_eq!(token.len(), 67);
        for at in 0..token.len() {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(keys.open_completion_token(&changed), None, "{changed}");
            assert_eq!(keys.open_completion_token(&token[..at]), None);
        }
        for more in ["A", "=", " ", "AAAA"] {
            assert_eq!(keys.open_completion_token(&format!("{token}{more}")), None);
        }
        // A token of another purpose is none.
        let cookie = keys.seal_cookie(&[7; 16], [9; 12]);
        assert_eq!(keys.open_completion_token(&format!("c1.{cookie}")), None);
    }
}
