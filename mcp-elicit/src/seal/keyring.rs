//! The server's secret keys: a ring of them for rotation, and one sub-key of each per purpose.
//!
//! A secret is never used itself. HKDF-SHA256 makes of it one 32-byte sub-key for each purpose,
//! under a label of its own, so that a token of one purpose means nothing to another. The secret
//! itself is not kept.

use std::fmt;

use aes_gcm_siv::{Aes256GcmSiv, KeyInit as _};
use hkdf::Hkdf;
use hmac::{Hmac, Mac as _};
use rand::TryRng as _;
use rand::rngs::SysRng;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use super::base64url;
use super::digest::digest_of;

/// Shortest secret that is taken.
const SECRET_LEN: usize = 32;

/// Length of the text of a 32-byte MAC.
const CSRF_LEN: usize = 43;

/// Names the sub-key that made a sealed text. It is public.
pub(super) type Kid = [u8; 4];

/// One or more secrets: the first one seals, all of them open.
///
/// All processes that serve one URL need the same ring. To replace a secret, roll out three
/// times: first `old` with the new one [behind it](Self::and_old), then `new` with the old one
/// behind it, and once the longest-lived token is over, `new` alone. What is stored goes over to the
/// new secret in the second step, see [`App::rewrap`](crate::App::rewrap).
///
/// ```
/// # use mcp_elicit::Keyring;
/// # let (new, old) = ([7_u8; 32], [3_u8; 32]);
/// let ring = Keyring::new(new)?.and_old(old)?;
/// # let _ = ring;
/// # Ok::<(), mcp_elicit::KeyError>(())
/// ```
pub struct Keyring {
    first: SubKeys,
    old: Vec<SubKeys>,
    random: bool,
}

impl Keyring {
    /// A ring of one secret of 32 or more random bytes, e.g. from `openssl rand 32`.
    ///
    /// # Errors
    /// If the secret is too short.
    pub fn new(secret: impl AsRef<[u8]>) -> Result<Self, KeyError> {
        Ok(Self {
            first: SubKeys::derive(secret.as_ref())?,
            old: Vec::new(),
            random: false,
        })
    }

    /// Adds a secret that opens what it sealed, and seals nothing any more (or not yet).
    ///
    /// # Errors
    /// If the secret is too short, or is in the ring already.
    pub fn and_old(mut self, secret: impl AsRef<[u8]>) -> Result<Self, KeyError> {
        let added = SubKeys::derive(secret.as_ref())?;
        if self.entries().any(|entry| entry.clashes(&added)) {
            return Err(KeyError::Duplicate);
        }
        self.old.push(added);
        Ok(self)
    }

    /// A ring of one random secret that ends with this process: nothing that it sealed can be
    /// opened after a restart, or by another process.
    ///
    /// # Errors
    /// If the operating system gives no random bytes.
    pub fn random() -> Result<Self, KeyError> {
        let mut secret = Zeroizing::new([0; SECRET_LEN]);
        SysRng
            .try_fill_bytes(secret.as_mut_slice())
            .map_err(|_| KeyError::NoRandomness)?;
        let mut ring = Self::new(secret.as_slice())?;
        ring.random = true;
        Ok(ring)
    }

    /// Whether the secret was made up by this process.
    pub(crate) fn is_random(&self) -> bool {
        self.random
    }

    fn entries(&self) -> impl Iterator<Item = &SubKeys> {
        std::iter::once(&self.first).chain(&self.old)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring")
            .field("secrets", &(1 + self.old.len()))
            .field("random", &self.random)
            .finish_non_exhaustive()
    }
}

/// Why a secret cannot be part of a [`Keyring`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It is shorter than 32 bytes.
    TooShort {
        /// How long it is.
        len: usize,
    },
    /// It is in the ring already.
    Duplicate,
    /// The operating system gave no random bytes.
    NoRandomness,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { len } => write!(
                f,
                "a secret of a keyring needs {SECRET_LEN} random bytes or more, this one has {len}; \
                 make one with `openssl rand {SECRET_LEN}`"
            ),
            Self::Duplicate => f.write_str("this secret is in the keyring already"),
            Self::NoRandomness => f.write_str("the operating system gave no random bytes"),
        }
    }
}

impl std::error::Error for KeyError {}

/// The sub-keys of one secret.
struct SubKeys {
    state: SubKey,
    cookie: SubKey,
    csrf: SubKey,
    blob: SubKey,
    completion: SubKey,
    cursor: SubKey,
    vault: SubKey,
}

impl SubKeys {
    fn derive(secret: &[u8]) -> Result<Self, KeyError> {
        let len = secret.len();
        if len < SECRET_LEN {
            return Err(KeyError::TooShort { len });
        }
        let hkdf = Hkdf::<Sha256>::new(Some(b"mcp-elicit"), secret);
        Ok(Self {
            state: SubKey::derive(&hkdf, b"state", len)?,
            cookie: SubKey::derive(&hkdf, b"cookie", len)?,
            csrf: SubKey::derive(&hkdf, b"csrf", len)?,
            blob: SubKey::derive(&hkdf, b"blob", len)?,
            completion: SubKey::derive(&hkdf, b"completion", len)?,
            cursor: SubKey::derive(&hkdf, b"cursor", len)?,
            vault: SubKey::derive(&hkdf, b"vault", len)?,
        })
    }

    /// Whether a key id of one names a key of the other too, which would make opening a guess.
    fn clashes(&self, other: &Self) -> bool {
        self.state.kid == other.state.kid
            || self.cookie.kid == other.cookie.kid
            || self.blob.kid == other.blob.kid
            || self.completion.kid == other.completion.kid
            || self.cursor.kid == other.cursor.kid
            || self.vault.kid == other.vault.kid
    }
}

/// One derived key and its public name.
struct SubKey {
    kid: Kid,
    bytes: Zeroizing<[u8; 32]>,
}

impl SubKey {
    fn derive(hkdf: &Hkdf<Sha256>, purpose: &[u8], len: usize) -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new([0; 32]);
        // It fails only for outputs of more than 255 hashes.
        hkdf.expand(purpose, bytes.as_mut_slice())
            .map_err(|_| KeyError::TooShort { len })?;
        let hash: [u8; 32] = Sha256::digest(bytes.as_slice()).into();
        let [a, b, c, d, ..] = hash;
        Ok(Self {
            kid: [a, b, c, d],
            bytes,
        })
    }
}

/// Every sub-key of a ring, ready to be used for one server.
pub(crate) struct Keys {
    pub(super) state: Ring,
    pub(super) cookie: Ring,
    pub(super) blob: Ring,
    pub(super) completion: Ring,
    pub(super) cursor: Ring,
    pub(super) vault: Ring,
    csrf: Vec<Hmac<Sha256>>,
    server: Box<[u8]>,
}

impl Keys {
    /// Makes the ciphers of a ring once, for the server of that name: another server with the
    /// same secrets cannot open its tokens.
    pub(crate) fn derive(ring: &Keyring, server_name: &str) -> Self {
        let server = server_name.as_bytes();
        let of = |label: &[u8], bind: &[u8], key: fn(&SubKeys) -> &SubKey| Ring {
            first: Sealer::new(label, key(&ring.first), bind),
            old: (ring.old.iter())
                .map(|entry| Sealer::new(label, key(entry), bind))
                .collect(),
        };
        Self {
            state: of(b"mcp-elicit/state/e1", server, |keys| &keys.state),
            cookie: of(b"mcp-elicit/cookie/1", server, |keys| &keys.cookie),
            blob: of(b"mcp-elicit/blob/1", &framed(server), |keys| &keys.blob),
            completion: of(b"mcp-elicit/completion/1", server, |keys| &keys.completion),
            cursor: of(b"mcp-elicit/cursor/1", &framed(server), |keys| &keys.cursor),
            // A credential stays readable when its server is renamed, so the name is not in it.
            vault: of(b"mcp-elicit/vault/1", b"", |keys| &keys.vault),
            csrf: (ring.entries())
                .map(|keys| {
                    let mut block = Zeroizing::new([0; 64]);
                    // A short key of HMAC is filled up with zeros by definition.
                    for (to, from) in block.iter_mut().zip(keys.csrf.bytes.iter()) {
                        *to = *from;
                    }
                    <Hmac<Sha256> as hmac::KeyInit>::new((&*block).into())
                })
                .collect(),
            server: server.into(),
        }
    }

    /// Whether the ring has a secret that seals nothing.
    pub(crate) fn has_old(&self) -> bool {
        !self.vault.old.is_empty()
    }

    /// A token for a form, bound to `parts`, such as the browser's session and the ticket.
    pub(crate) fn csrf(&self, parts: &[&[u8]]) -> String {
        let parts = self.with_server(parts);
        self.csrf
            .first()
            .map(|key| base64url::text(&mac(key, &parts)))
            .unwrap_or_default()
    }

    /// Whether `token` is one that [`csrf`](Self::csrf) makes of `parts`, under any key of the
    /// ring. The comparison takes the same time wherever they differ.
    pub(crate) fn csrf_matches(&self, parts: &[&[u8]], token: &str) -> bool {
        let Some(given) = (token.len() == CSRF_LEN)
            .then(|| base64url::bytes(token))
            .flatten()
        else {
            return false;
        };
        let parts = self.with_server(parts);
        let mut found = subtle::Choice::from(0);
        for key in &self.csrf {
            found |= mac(key, &parts).ct_eq(given.as_slice());
        }
        found.into()
    }

    /// The name under which an effect is claimed: the same for the same parts on every machine.
    ///
    /// It depends on no secret, because it must be the same before, amid and after a rotation:
    /// else an effect could happen twice. What must not be guessed has to be among the parts, as
    /// the random id of a run is.
    pub(crate) fn claim_key(&self, parts: &[&[u8]]) -> [u8; 32] {
        digest_of("mcp-elicit/claim/1", &self.with_server(parts))
    }

    /// An idempotency key to hand to other services, of 52 lower-case letters and digits; stable
    /// as [`claim_key`](Self::claim_key) is, and unlike it.
    pub(crate) fn idempotency(&self, parts: &[&[u8]]) -> String {
        base32(&digest_of(
            "mcp-elicit/idempotency/1",
            &self.with_server(parts),
        ))
    }

    fn with_server<'a>(&'a self, parts: &[&'a [u8]]) -> Vec<&'a [u8]> {
        std::iter::once(&*self.server)
            .chain(parts.iter().copied())
            .collect()
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

/// The ciphers of one purpose.
pub(super) struct Ring {
    pub(super) first: Sealer,
    old: Vec<Sealer>,
}

impl Ring {
    /// The cipher that made a text with this key id.
    pub(super) fn find(&self, kid: Kid) -> Option<&Sealer> {
        std::iter::once(&self.first)
            .chain(&self.old)
            .find(|sealer| sealer.kid == kid)
    }
}

/// One key of one purpose.
pub(super) struct Sealer {
    pub(super) kid: Kid,
    pub(super) cipher: Aes256GcmSiv,
    /// Label, key id, and for most purposes the server's name: what every text of it is bound to.
    pub(super) associated: Box<[u8]>,
}

impl Sealer {
    fn new(label: &[u8], key: &SubKey, bind: &[u8]) -> Self {
        Self {
            kid: key.kid,
            cipher: Aes256GcmSiv::new((&*key.bytes).into()),
            associated: [label, &key.kid, bind].concat().into(),
        }
    }

    /// What a text with a context of its own is bound to.
    pub(super) fn associated_with(&self, context: &[u8]) -> Vec<u8> {
        [&*self.associated, context].concat()
    }
}

fn mac(key: &Hmac<Sha256>, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = key.clone();
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Length and bytes, so that what follows cannot be taken for a part of it.
fn framed(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_be_bytes()[..], bytes].concat()
}

/// Lower-case base32 without padding (RFC 4648, section 6): it survives every header and column.
fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut held, mut bits) = (0_u32, 0);
    let mut push = |index: u32| {
        if let Some(&c) = ALPHABET.get(index as usize & 31) {
            text.push(char::from(c));
        }
    };
    for &byte in bytes {
        held = held << 8 | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            push(held >> bits);
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        push(held << (5 - bits));
    }
    text
}
