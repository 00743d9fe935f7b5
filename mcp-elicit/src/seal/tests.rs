//! What must hold of every sealed text, whoever changes it.

use super::{Binding, Keyring, Keys, PrincipalTag, Rejected, RequestDigest};
use crate::time::UnixTime;

const MOST: usize = 48 * 1024;
const NONCE: [u8; 12] = [9; 12];
const ISSUED: UnixTime = UnixTime::from_seconds(1_800_000_000);
const EXPIRES: UnixTime = UnixTime::from_seconds(1_800_003_600);
const PAYLOAD: &[u8] = b"journal of an earlier round";

/// Sealed by the first release; it must open for ever, or the format's version must change.
const GOLDEN: &str = "e1.CIddDQkJCQkJCQkJCQkJCaaalvYAVkHkdLRpKNUIkxKiIq0nZD4PaapV095xqq1y5oiehpT2pUWqplXo_kXxJ9CJqg1yzPfDwbEjRvUkY7DRLumTPGXVIDHR0B_N_grrnXTJNHxMk8q92hQy";

fn ring(byte: u8) -> Keyring {
    Keyring::new([byte; 32]).unwrap()
}

fn keys(byte: u8) -> Keys {
    Keys::derive(&ring(byte), "billing")
}

fn ada() -> PrincipalTag {
    PrincipalTag::of(&["", "https://login.example.com", "ada", "client"])
}

fn call() -> RequestDigest {
    RequestDigest::of("tools/call", "subscribe", Some(r#"{"reference":"A-1"}"#))
}

fn seal_with(keys: &Keys) -> String {
    let mut out = b"before:".to_vec();
    keys.seal_state(
        &Binding {
            principal: &ada(),
            request: &call(),
            issued: ISSUED,
            expires: EXPIRES,
        },
        PAYLOAD,
        NONCE,
        &mut out,
    );
    let text = String::from_utf8(out).unwrap();
    text.strip_prefix("before:").unwrap().to_owned()
}

fn open_at(keys: &Keys, token: &str, now: UnixTime) -> Result<Vec<u8>, Rejected> {
    let (payload, issued) = keys.open_state(token, &ada(), &call(), now, MOST)?;
    assert_eq!(issued, ISSUED);
    Ok(payload)
}

fn open_with(keys: &Keys, token: &str) -> Result<Vec<u8>, Rejected> {
    open_at(keys, token, ISSUED)
}

#[test]
fn opens_what_it_sealed() {
    let keys = keys(1);
    let token = seal_with(&keys);
    assert!(token.starts_with("e1."));
    assert_eq!(open_with(&keys, &token).unwrap(), PAYLOAD);
}

#[test]
fn takes_payloads_of_any_length() {
    let keys = keys(1);
    for len in [0, 1, 2, 3, 15, 16, 17, 255, 4096, 30_000] {
        let payload = vec![7; len];
        let mut out = Vec::new();
        keys.seal_state(
            &Binding {
                principal: &ada(),
                request: &call(),
                issued: ISSUED,
                expires: EXPIRES,
            },
            &payload,
            NONCE,
            &mut out,
        );
        let token = String::from_utf8(out).unwrap();
        assert_eq!(open_with(&keys, &token).unwrap(), payload, "{len}");
    }
}

#[test]
fn the_golden_token_is_still_made_and_read() {
    assert_eq!(seal_with(&keys(1)), GOLDEN);
    assert_eq!(open_with(&keys(1), GOLDEN).unwrap(), PAYLOAD);
}

#[test]
fn shows_nothing_of_what_it_holds() {
    use base64::Engine as _;
    let token = seal_with(&keys(1));
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(token.strip_prefix("e1.").unwrap())
        .unwrap();
    for hidden in [PAYLOAD, &ada().0, &call().0] {
        assert!(!bytes.windows(hidden.len()).any(|window| window == hidden));
    }
}

#[test]
fn no_other_text_opens() {
    let keys = keys(1);
    let token = seal_with(&keys);
    let refuse = |text: &str| {
        let refused = open_with(&keys, text).unwrap_err();
        assert_eq!(refused.to_string(), "requestState is invalid or expired");
    };
    for cut in 0..token.len() {
        refuse(&token[..cut]);
        refuse(&token[cut + 1..]);
    }
    for at in 0..token.len() {
        for bit in 0..7 {
            let mut bytes = token.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            refuse(std::str::from_utf8(&bytes).unwrap());
        }
    }
    for extra in ["A", "_", "AA", "AAAA", "=", "==", " ", "\n", "\0", ".", "é"] {
        refuse(&format!("{token}{extra}"));
        refuse(&format!("{extra}{token}"));
        refuse(&token.replacen("e1.", &format!("e1.{extra}"), 1));
    }
    refuse(&token.replace(['-', '_'], "+"));
    refuse(&token.to_uppercase());
}

/// The last character of a text whose length is no multiple of four holds bits that decode to
/// nothing; they must be zero.
#[test]
fn of_texts_that_decode_alike_only_one_opens() {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let keys = keys(1);
    let mut unused_bits = 0;
    for len in 0..3 {
        let mut out = Vec::new();
        let binding = Binding {
            principal: &ada(),
            request: &call(),
            issued: ISSUED,
            expires: EXPIRES,
        };
        keys.seal_state(&binding, &vec![0; len], NONCE, &mut out);
        let token = String::from_utf8(out).unwrap();
        unused_bits += usize::from(!(token.len() - 3).is_multiple_of(4));
        let (front, last) = token.split_at(token.len() - 1);
        let opened = ALPHABET
            .chars()
            .filter(|c| open_with(&keys, &format!("{front}{c}")).is_ok())
            .collect::<String>();
        assert_eq!(opened, last);
    }
    assert_eq!(unused_bits, 2);
}

#[test]
fn every_flipped_bit_of_the_bytes_is_noticed() {
    use base64::Engine as _;
    let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let keys = keys(1);
    let token = seal_with(&keys);
    let bytes = engine.decode(token.strip_prefix("e1.").unwrap()).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            let expected = if at < 4 {
                Rejected::UnknownKey
            } else {
                Rejected::Tampered
            };
            let text = format!("e1.{}", engine.encode(&bytes));
            assert_eq!(open_with(&keys, &text), Err(expected), "byte {at}");
        }
    }
    for len in 0..bytes.len() {
        let text = format!("e1.{}", engine.encode(&bytes[..len]));
        assert!(open_with(&keys, &text).is_err(), "{len} bytes");
    }
}

#[test]
fn tells_the_log_what_was_wrong() {
    let keys = keys(1);
    let token = seal_with(&keys);
    let reason = |token: &str| open_with(&keys, token).unwrap_err();
    assert_eq!(reason(""), Rejected::Malformed);
    assert_eq!(reason("e1."), Rejected::Malformed);
    assert_eq!(reason("e1.!"), Rejected::Malformed);
    assert_eq!(reason("eyJhbGciOiJIUzI1NiJ9.e30.x"), Rejected::Malformed);
    assert_eq!(
        reason(&token.replacen("e1", "e2", 1)),
        Rejected::UnknownVersion
    );
    assert_eq!(
        reason(&token.replacen("e1", "e14", 1)),
        Rejected::UnknownVersion
    );
    assert_eq!(reason(&"e1.A".repeat(MOST)), Rejected::TooLarge);
}

#[test]
fn the_limit_counts_the_text_and_is_exact() {
    let keys = keys(1);
    let token = seal_with(&keys);
    let open = |most| keys.open_state(&token, &ada(), &call(), ISSUED, most);
    assert_eq!(open(token.len()).unwrap().0, PAYLOAD);
    assert_eq!(open(token.len() - 1), Err(Rejected::TooLarge));
}

#[test]
fn opens_for_its_principal_alone() {
    let keys = keys(1);
    let token = seal_with(&keys);
    for other in [
        PrincipalTag::of(&["", "https://login.example.com", "bob", "client"]),
        PrincipalTag::of(&["t", "https://login.example.com", "ada", "client"]),
        PrincipalTag::of(&["", "https://login.example.com", "ada", "other"]),
        PrincipalTag::of(&["", "https://login.example.com", "adaclient", ""]),
        PrincipalTag::of(&[]),
    ] {
        assert_eq!(
            keys.open_state(&token, &other, &call(), ISSUED, MOST),
            Err(Rejected::OtherPrincipal)
        );
    }
}

#[test]
fn opens_for_its_request_alone() {
    let keys = keys(1);
    let token = seal_with(&keys);
    let arguments = Some(r#"{"reference":"A-1"}"#);
    for other in [
        RequestDigest::of("prompts/get", "subscribe", arguments),
        RequestDigest::of("tools/call", "unsubscribe", arguments),
        RequestDigest::of("tools/call", "subscribe", Some(r#"{"reference":"A-2"}"#)),
        RequestDigest::of("tools/call", "subscribe", Some("{}")),
        RequestDigest::of("tools/call", "subscribe", None),
        RequestDigest::of("tools/callsubscribe", "", arguments),
    ] {
        assert_eq!(
            keys.open_state(&token, &ada(), &other, ISSUED, MOST),
            Err(Rejected::OtherRequest)
        );
    }
}

#[test]
fn opens_on_its_server_alone() {
    let token = seal_with(&keys(1));
    let other = Keys::derive(&ring(1), "billing2");
    assert_eq!(open_with(&other, &token), Err(Rejected::Tampered));
}

#[test]
fn opens_for_its_time_alone() {
    let keys = keys(1);
    let token = seal_with(&keys);
    let open = |seconds| open_at(&keys, &token, UnixTime::from_seconds(seconds));
    assert!(open(1_800_003_599).is_ok());
    assert_eq!(open(1_800_003_600), Err(Rejected::Expired));
    assert_eq!(open(1_800_003_601), Err(Rejected::Expired));
    assert_eq!(
        open_at(&keys, &token, UnixTime::from_millis(u64::MAX)),
        Err(Rejected::Expired)
    );
    // A clock that stands behind the one that sealed, by as much as clocks of a cluster differ.
    assert!(open(1_799_999_999).is_ok());
    assert!(open(1_799_999_940).is_ok());
    assert_eq!(open(1_799_999_939), Err(Rejected::FromTheFuture));
    assert_eq!(open(0), Err(Rejected::FromTheFuture));
}

/// A key of one purpose means nothing to another, so a text cannot be carried over.
#[test]
fn a_text_of_another_purpose_does_not_open() {
    let keys = keys(1);
    let state = seal_with(&keys);
    let cookie = keys.seal_cookie(PAYLOAD, NONCE);
    let bare = state.strip_prefix("e1.").unwrap();
    assert_eq!(
        open_with(&keys, &format!("e1.{cookie}")),
        Err(Rejected::Malformed)
    );
    let long = keys.seal_cookie(&[0; 200], NONCE);
    assert_eq!(
        open_with(&keys, &format!("e1.{long}")),
        Err(Rejected::UnknownKey)
    );
    assert_eq!(keys.open_cookie(bare), None);
    let blob = keys.seal_blob(b"", PAYLOAD, NONCE);
    assert_eq!(keys.open_cookie(&super::base64url::text(&blob)), None);
    // Also where two purposes happened to have the same key id.
    let forged = [&keys.state.first.kid[..], &blob[4..]].concat();
    assert_eq!(
        open_with(&keys, &format!("e1.{}", super::base64url::text(&forged))),
        Err(Rejected::Malformed)
    );
    let blob = keys.seal_blob(b"", &[0; 200], NONCE);
    let forged = [&keys.state.first.kid[..], &blob[4..]].concat();
    assert_eq!(
        open_with(&keys, &format!("e1.{}", super::base64url::text(&forged))),
        Err(Rejected::Tampered)
    );
}

#[test]
fn rotates_in_three_steps() {
    let derive = |ring: &Keyring| Keys::derive(ring, "billing");
    let old = derive(&ring(1));
    let both = derive(&ring(1).and_old([2; 32]).unwrap());
    let turned = derive(&ring(2).and_old([1; 32]).unwrap());
    let new = derive(&ring(2));

    // While one step is rolled out, both its builds open what the other seals.
    for (a, b) in [(&old, &both), (&both, &turned), (&turned, &new)] {
        assert!(open_with(b, &seal_with(a)).is_ok());
        assert!(open_with(a, &seal_with(b)).is_ok());
    }
    let by_old = seal_with(&old);
    let by_new = seal_with(&new);
    assert_eq!(open_with(&turned, &by_old).unwrap(), PAYLOAD);
    assert_eq!(open_with(&both, &by_new).unwrap(), PAYLOAD);
    assert_eq!(open_with(&new, &by_old), Err(Rejected::UnknownKey));
    assert_eq!(open_with(&old, &by_new), Err(Rejected::UnknownKey));

    for keys in [&both, &turned] {
        assert!(keys.csrf_matches(&[b"s", b"t"], &old.csrf(&[b"s", b"t"])));
        assert!(keys.csrf_matches(&[b"s", b"t"], &new.csrf(&[b"s", b"t"])));
        assert!(keys.open_cookie(&old.seal_cookie(b"s", NONCE)).is_some());
        assert!(keys.open_cookie(&new.seal_cookie(b"s", NONCE)).is_some());
    }
}

/// An effect that was claimed before a rotation must be found after it.
#[test]
fn claims_outlive_a_rotation() {
    let (old, new) = (keys(1), keys(2));
    let parts: &[&[u8]] = &[b"run", b"subscribe"];
    assert_eq!(old.claim_key(parts), new.claim_key(parts));
    assert_eq!(old.idempotency(parts), new.idempotency(parts));
    assert_ne!(old.claim_key(parts), old.claim_key(&[b"runs", b"ubscribe"]));
    let elsewhere = Keys::derive(&ring(1), "other");
    assert_ne!(old.idempotency(parts), elsewhere.idempotency(parts));

    let key = old.idempotency(parts);
    assert_eq!(key.len(), 52);
    assert!(key.bytes().all(|b| matches!(b, b'a'..=b'z' | b'2'..=b'7')));
    assert_eq!(key, "2qnbe3zw2eq5k2a5dr26dnxjwzgylfnqftueckcn77gpx2zm7zfa");
}

#[test]
fn a_form_token_is_bound_to_all_its_parts() {
    let keys = keys(1);
    let token = keys.csrf(&[b"session", b"ticket"]);
    assert!(keys.csrf_matches(&[b"session", b"ticket"], &token));
    for parts in [
        &[&b"session"[..], b"ticke"][..],
        &[b"sessiont", b"icket"],
        &[b"session"],
        &[b"sessionticket"],
        &[b"ticket", b"session"],
        &[],
    ] {
        assert!(!keys.csrf_matches(parts, &token));
    }
    for wrong in ["", "A", &token[1..], &format!("{token}A"), &"A".repeat(99)] {
        assert!(!keys.csrf_matches(&[b"session", b"ticket"], wrong));
    }
    let elsewhere = Keys::derive(&ring(1), "other");
    assert!(!elsewhere.csrf_matches(&[b"session", b"ticket"], &token));
}

#[test]
fn a_cookie_is_whole_or_nothing() {
    let keys = keys(1);
    let cookie = keys.seal_cookie(b"ada", NONCE);
    assert_eq!(keys.open_cookie(&cookie).unwrap(), b"ada");
    assert_eq!(
        keys.open_cookie(&keys.seal_cookie(b"", NONCE)).unwrap(),
        b""
    );
    for at in 0..cookie.len() {
        let mut bytes = cookie.clone().into_bytes();
        bytes[at] ^= 1;
        assert_eq!(keys.open_cookie(std::str::from_utf8(&bytes).unwrap()), None);
        assert_eq!(keys.open_cookie(&cookie[..at]), None);
    }
    assert_eq!(keys.open_cookie(&"A".repeat(5000)), None);
}

#[test]
fn a_secret_must_be_long_and_new() {
    assert_eq!(
        Keyring::new([1; 31]).unwrap_err(),
        super::KeyError::TooShort { len: 31 }
    );
    assert_eq!(
        ring(1).and_old([1; 32]).unwrap_err(),
        super::KeyError::Duplicate
    );
    let three = ring(1).and_old([2; 32]).unwrap().and_old([3; 64]).unwrap();
    assert_eq!(
        three.and_old([2; 32]).unwrap_err(),
        super::KeyError::Duplicate
    );
}

#[test]
fn random_rings_differ_and_say_so() {
    let (a, b) = (Keyring::random().unwrap(), Keyring::random().unwrap());
    assert!(a.is_random() && !ring(1).is_random());
    let token = seal_with(&Keys::derive(&a, "billing"));
    assert_eq!(
        open_with(&Keys::derive(&b, "billing"), &token),
        Err(Rejected::UnknownKey)
    );
}

#[test]
fn debug_shows_no_key() {
    let ring = ring(0xAB).and_old([0xCD; 32]).unwrap();
    assert_eq!(
        format!("{ring:?}"),
        "Keyring { secrets: 2, random: false, .. }"
    );
    assert_eq!(
        format!("{:?}", Keys::derive(&ring, "billing")),
        "Keys { .. }"
    );
}

mod rows {
    use super::{NONCE, keys, ring};
    use crate::seal::Keys;

    /// Numbers 1, 2, 3, .. as random bytes.
    fn counter() -> impl FnMut(&mut [u8]) {
        let mut next = 0_u8;
        move |out: &mut [u8]| {
            for byte in out {
                next = next.wrapping_add(1);
                *byte = next;
            }
        }
    }

    #[test]
    fn open_for_their_own_context_alone() {
        let keys = keys(1);
        let sealed = keys.seal_row(b"ada/key", b"sk_live_1", &mut counter());
        assert_eq!(
            keys.open_row(b"ada/key", &sealed).unwrap().as_slice(),
            b"sk_live_1"
        );
        assert!(keys.open_row(b"bob/key", &sealed).is_none());
        assert!(keys.open_row(b"", &sealed).is_none());
        assert!(
            Keys::derive(&ring(2), "billing")
                .open_row(b"ada/key", &sealed)
                .is_none()
        );
        // A renamed server still reads its vault.
        assert!(
            Keys::derive(&ring(1), "renamed")
                .open_row(b"ada/key", &sealed)
                .is_some()
        );
    }

    /// Rows are kept for years, so what the first release sealed must open for ever.
    #[test]
    fn of_the_first_release_still_open() {
        const ROW: &str = "017373c6db2d2e2f3031323334353637385b6b7c30ed2feb58225c7bd7b123eeef5dd066f9980378d4ca680802e65c5e219aea60159ef6458604f3ed23f2b6c8642122232425262728292a2b2cbb5e46babda0a840f03cf64d9a1ec7790d4f97e6b79fd04f30";
        const BLOB: &str =
            "8fd8d3ab090909090909090909090909ebeb931fc59afd9876698ebbcc3876089886176165";
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        let keys = keys(1);
        let row = keys.seal_row(b"ada/key", b"sk_live_1", &mut counter());
        assert_eq!(hex(&row), ROW);
        assert_eq!(hex(&keys.seal_blob(b"run", b"large", NONCE)), BLOB);
    }

    #[test]
    fn are_whole_or_nothing() {
        let keys = keys(1);
        let sealed = keys.seal_row(b"row", b"sk_live_1", &mut counter());
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut bytes = sealed.clone();
                bytes[at] ^= 1 << bit;
                assert!(keys.open_row(b"row", &bytes).is_none(), "byte {at}");
            }
            assert!(keys.open_row(b"row", &sealed[..at]).is_none());
        }
        let more = [&sealed[..], &[0]].concat();
        assert!(keys.open_row(b"row", &more).is_none());
    }

    #[test]
    fn have_a_data_key_each() {
        let keys = keys(1);
        let mut random = counter();
        let one = keys.seal_row(b"row", b"same", &mut random);
        let two = keys.seal_row(b"row", b"same", &mut random);
        // Halves of two versions of one row do not fit together.
        let mixed = [&one[..65], &two[65..]].concat();
        assert!(keys.open_row(b"row", &mixed).is_none());
        assert_ne!(one, two);
    }

    #[test]
    fn are_wrapped_anew_after_a_rotation() {
        let old = keys(1);
        let turned = Keys::derive(&ring(2).and_old([1; 32]).unwrap(), "billing");
        let sealed = old.seal_row(b"row", b"sk_live_1", &mut counter());
        assert!(old.rewrap_row(b"row", &sealed, &mut counter()).is_none());
        assert!(turned.rewrap_row(b"no", &sealed, &mut counter()).is_none());
        let again = turned.rewrap_row(b"row", &sealed, &mut counter()).unwrap();
        assert_eq!(again[65..], sealed[65..], "the credential is untouched");
        assert!(turned.rewrap_row(b"row", &again, &mut counter()).is_none());
        let new = keys(2);
        assert!(new.open_row(b"row", &sealed).is_none());
        assert_eq!(
            new.open_row(b"row", &again).unwrap().as_slice(),
            b"sk_live_1"
        );
    }

    #[test]
    fn blobs_are_bound_to_their_context_and_server() {
        let keys = keys(1);
        let sealed = keys.seal_blob(b"run/step", b"large", NONCE);
        assert_eq!(
            keys.open_blob(b"run/step", &sealed).unwrap().as_slice(),
            b"large"
        );
        assert!(keys.open_blob(b"run/other", &sealed).is_none());
        assert!(
            Keys::derive(&ring(1), "other")
                .open_blob(b"run/step", &sealed)
                .is_none()
        );
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone();
            bytes[at] ^= 1;
            assert!(keys.open_blob(b"run/step", &bytes).is_none());
            assert!(keys.open_blob(b"run/step", &sealed[..at]).is_none());
        }
    }
}

#[test]
fn a_newer_format_is_told_by_what_only_our_keys_can_say() {
    use super::token::{encrypt, front};
    let keys = keys(1);
    let state = |version: u8| {
        let sealer = &keys.state.first;
        let mut buffer = front(sealer, NONCE, 60);
        buffer.push(version);
        buffer.extend_from_slice(&[0; 60]);
        assert!(encrypt(sealer, &sealer.associated, NONCE, &mut buffer));
        format!("e1.{}", super::base64url::text(&buffer))
    };
    assert_eq!(open_with(&keys, &state(2)), Err(Rejected::NewerVersion));
    assert_eq!(open_with(&keys, &state(255)), Err(Rejected::NewerVersion));
    assert_eq!(open_with(&keys, &state(0)), Err(Rejected::UnknownVersion));
    let other = seal_with(&keys).replacen("e1.", "e2.", 1);
    assert_eq!(open_with(&keys, &other), Err(Rejected::UnknownVersion));
}
