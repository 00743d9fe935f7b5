//! Prints what sealing costs: `cargo bench --bench sealing`.
//!
//! What it measures is private to the library, so it builds those modules into itself.

#![expect(clippy::print_stdout, reason = "it is what this program is for")]

#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "only a part of it is measured"
)]
#[path = "../src/seal/mod.rs"]
mod seal;
#[allow(dead_code, unreachable_pub, reason = "only a part of it is used")]
#[path = "../src/time.rs"]
mod time;

use std::hint::black_box;
use std::time::Instant;

use seal::{Binding, Keyring, Keys, PrincipalTag, RequestDigest};
use time::UnixTime;

const ARGUMENTS: &str = r#"{"reference":"order-2026-0042","seats":12,"plan":"pro","note":"as agreed with Ada","urgent":false}"#;
const TURNED: &str = r#"{"urgent":false,"note":"as agreed with Ada","plan":"pro","seats":12,"reference":"order-2026-0042"}"#;
const IN_ORDER: &str = r#"{"note":"as agreed with Ada","plan":"pro","reference":"order-2026-0042","seats":12,"urgent":false}"#;

fn measure(what: &str, mut run: impl FnMut()) {
    const TURNS: u32 = 20_000;
    let best = (0..15)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..TURNS {
                run();
            }
            start.elapsed() / TURNS
        })
        .min()
        .unwrap_or_default();
    println!("{what:<40}{:>7} ns", best.as_nanos());
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keys = Keys::derive(&Keyring::new([1; 32])?, "billing");
    let principal = PrincipalTag::of(&["", "https://login.example.com", "ada", "client"]);
    let request = RequestDigest::of("tools/call", "subscribe", Some(ARGUMENTS));
    let now = UnixTime::from_seconds(1_800_000_000);
    let binding = Binding {
        principal: &principal,
        request: &request,
        issued: now,
        expires: UnixTime::from_seconds(1_800_003_600),
    };
    let mut nonce = [0_u8; 12];
    for len in [100, 300, 1000, 8000] {
        let payload = vec![7; len];
        let mut out = Vec::with_capacity(16 * 1024);
        measure(&format!("seal a state of {len} bytes"), || {
            nonce.rotate_left(1);
            out.clear();
            keys.seal_state(&binding, black_box(&payload), nonce, &mut out);
            black_box(&out);
        });
        let token = String::from_utf8(out)?;
        measure(&format!("open a state of {len} bytes"), || {
            let opened = keys.open_state(black_box(&token), &principal, &request, now, 48 * 1024);
            assert!(opened.is_ok());
            black_box(&opened);
        });
    }
    for (what, arguments) in [
        ("", Some(ARGUMENTS)),
        (", in order", Some(IN_ORDER)),
        (", turned round", Some(TURNED)),
        (", none", None),
    ] {
        measure(&format!("digest of a request{what}"), || {
            black_box(RequestDigest::of(
                "tools/call",
                "subscribe",
                black_box(arguments),
            ));
        });
    }
    measure("tag of a principal", || {
        black_box(PrincipalTag::of(black_box(&[
            "",
            "https://login.example.com",
            "ada",
            "client",
        ])));
    });
    Ok(())
}
