//! The log says what happened and never what was typed.

use std::io;
use std::sync::Mutex;

use tracing_subscriber::fmt::MakeWriter;

use super::*;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn events_without_values() {
    const SECRET: &str = "sk-live-marker-0123456789";
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(lines.clone())
        .with_ansi(false)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let site = Site::new();
    let id = site.open("alice-marker").await;
    let alice = site.signed_in("alice-marker").await;
    let bob = site.signed_in("bob-marker").await;
    bob.get(&path(id)).await;
    let token = alice.token(id).await;
    let invalid = "label-marker ".repeat(9);
    for pairs in [
        [(":token", "wrong"), ("api_key", SECRET), ("label", "")],
        [(":token", &token), ("api_key", SECRET), ("label", &invalid)],
        [
            (":token", &token),
            ("api_key", SECRET),
            ("label", "label-marker"),
        ],
        [(":token", &token), ("api_key", SECRET), ("label", "")],
    ] {
        alice.post(&path(id), &pairs).await;
    }
    let other = site.open("alice-marker").await;
    let token = alice.token(other).await;
    alice
        .post(&path(other), &[(":token", &token), (":action", "decline")])
        .await;

    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for event in [
        "identity mismatch",
        "page opened",
        "reason=\"token\"",
        "reason=\"invalid\"",
        "credential stored",
        "page declined",
        "signed in by name",
        "page=\"set_api_key\"",
    ] {
        assert!(log.contains(event), "{event} not in {log}");
    }
    let ticket = super::super::link::text(&id);
    let cookie = alice.cookie.clone().unwrap();
    let cookie = cookie.split_once('=').unwrap().1;
    for hidden in [SECRET, "marker", &ticket, &token, cookie] {
        assert!(!log.contains(hidden), "{hidden} in {log}");
    }
}
