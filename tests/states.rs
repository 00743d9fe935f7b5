//! States that were not given, not to this user, not for this request, or not for now: all are
//! refused with one text, and the handler does not run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use mcp_elicit::prelude::*;
use mcp_elicit::{__private, App, Keyring, Limits, UnixTime};
use mcp_elicit_tests::{Client, keyring, send, server};
use serde_json::{Value, json};

const REFUSED: &str = "requestState is invalid or expired";

/// Which room?
#[derive(Elicit)]
struct Room {
    room: String,
}

/// Counts how often its handler runs.
#[derive(Clone, Default)]
struct Hotel(Arc<AtomicUsize>);

#[tools]
impl Hotel {
    /// Books a room.
    #[tool]
    async fn book(&self, cx: &Cx, nights: u8) -> Result<String, CallError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let room = cx.ask::<Room>().await?;
        Ok(format!("{} for {nights}", room.room))
    }

    /// Asks the same.
    #[tool]
    async fn hold(&self, cx: &Cx, nights: u8) -> Result<String, CallError> {
        self.book(cx, nights).await
    }
}

/// A server, and one state that it gave to alice.
struct Bench {
    hotel: Hotel,
    app: App,
    client: Client,
    state: String,
}

impl Bench {
    async fn new() -> Self {
        let hotel = Hotel::default();
        let app = server().tools(hotel.clone()).build().await.unwrap();
        let client = Client::new(&app, "alice");
        let state = client.call("book", json!({ "nights": 2 })).await.state();
        assert!(goes_on(&client, &state).await);
        hotel.0.store(0, Ordering::SeqCst);
        Self {
            hotel,
            app,
            client,
            state,
        }
    }

    fn has_not_run(&self) {
        assert_eq!(self.hotel.0.load(Ordering::SeqCst), 0, "the handler ran");
    }
}

fn answers() -> Value {
    json!({ "room": { "action": "accept", "content": { "room": "7" } } })
}

/// Whether the state is taken; false if it is refused, as it must be.
async fn goes_on(client: &Client, state: &str) -> bool {
    let got = client
        .retry("book", json!({ "nights": 2 }), state, answers())
        .await;
    if got.first_text() == "7 for 2" {
        return true;
    }
    let error =
        json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": REFUSED } });
    assert_eq!((got.status.as_u16(), got.json), (200, error), "{state:?}");
    false
}

#[tokio::test]
async fn no_state_with_a_changed_bit_goes_on() {
    let bench = Bench::new().await;
    for at in 0..bench.state.len() {
        for bit in 0..7 {
            let mut bytes = bench.state.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let text = String::from_utf8(bytes).unwrap();
            assert!(!goes_on(&bench.client, &text).await, "byte {at}, bit {bit}");
        }
    }
    bench.has_not_run();
}

#[tokio::test]
async fn no_part_of_a_state_goes_on_and_no_longer_one() {
    let bench = Bench::new().await;
    let (client, state) = (&bench.client, &bench.state);
    for at in 0..state.len() {
        for text in [&state[..at], &state[at + 1..]] {
            assert!(!goes_on(client, text).await, "cut at {at}");
        }
        let left_out = format!("{}{}", &state[..at], &state[at + 1..]);
        assert!(!goes_on(client, &left_out).await, "without {at}");
    }
    let legal = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['-', '_', '=', '.']);
    for c in legal {
        for text in [
            format!("{state}{c}"),
            format!("{state}{c}{c}{c}{c}"),
            format!("{c}{state}"),
            state.replacen("e1.", &format!("e1.{c}"), 1),
        ] {
            assert!(!goes_on(client, &text).await, "with {c}");
        }
    }
    for text in [
        format!("{state}{state}"),
        state.to_uppercase(),
        format!(" {state}"),
    ] {
        assert!(!goes_on(client, &text).await);
    }
    bench.has_not_run();
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn text(&mut self, alphabet: &[char], most: usize) -> String {
        (0..self.roll(most))
            .map(|_| alphabet[self.roll(alphabet.len())])
            .collect()
    }
}

/// Any text: of the right letters behind the right beginning, of any letters, or a state with some
/// of its letters changed.
fn any(dice: &mut Dice, state: &str) -> String {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let letters: Vec<char> = LETTERS.chars().collect();
    match dice.roll(6) {
        0 => dice.text(&letters, 300),
        1 => format!("e1.{}", dice.text(&letters, 300)),
        // The id of the right key, and of the right length.
        2 => format!("{}{}", &state[..8], dice.text(&letters, 300)),
        3 => {
            let begin = &state[..dice.roll(state.len())];
            let rest = state.len() - begin.len();
            let more: String = (0..rest).map(|_| letters[dice.roll(64)]).collect();
            format!("{begin}{more}")
        }
        4 => {
            let mut changed: Vec<char> = state.chars().collect();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(changed.len());
                changed[at] = letters[dice.roll(64)];
            }
            changed.into_iter().collect()
        }
        _ => {
            let any: Vec<char> = "e1.=+/ \\\"\u{0}\u{7f}é\u{202e}😀{}[]".chars().collect();
            dice.text(&any, 60)
        }
    }
}

#[test]
fn a_hundred_thousand_random_states_are_refused() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = 100_000_usize.div_ceil(threads);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .unwrap();
                runtime.block_on(refuse_many(thread as u64 + 1, each));
            });
        }
    });
}

async fn refuse_many(seed: u64, many: usize) {
    let bench = Bench::new().await;
    let router: Router = bench.app.router();
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let whole = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "book", "arguments": { "nights": 2 }, "requestState": "STATE",
        "inputResponses": answers(), "_meta": bench.client.meta() } })
    .to_string();
    let (before, after) = whole.split_once("\"STATE\"").unwrap();
    let refusal =
        format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32602,"message":"{REFUSED}"}}}}"#);
    let mut genuine = 0;
    for _ in 0..many {
        let state = any(&mut dice, &bench.state);
        if state == bench.state {
            genuine += 1;
            continue;
        }
        let body = format!("{before}{}{after}", Value::from(state.clone()));
        let request = bench.client.build("tools/call", Some("book"));
        let got = send(&router, request.body(Body::from(body)).unwrap()).await;
        assert_eq!(
            (got.status.as_u16(), &*got.text),
            (200, &*refusal),
            "{state:?}"
        );
    }
    assert!(genuine < many / 100);
    bench.has_not_run();
}

#[tokio::test]
async fn a_state_is_for_its_user_request_and_server_alone() {
    let bench = Bench::new().await;
    let (client, state) = (&bench.client, &bench.state);
    assert!(!goes_on(&client.as_user("bob"), state).await);
    assert!(!goes_on(&client.as_user("dev"), state).await);
    for (tool, arguments) in [
        ("hold", json!({ "nights": 2 })),
        ("book", json!({ "nights": 3 })),
        ("book", json!({ "nights": "2" })),
        ("book", json!({ "nights": 2, "more": null })),
        ("book", json!({})),
    ] {
        let got = client.retry(tool, arguments, state, answers()).await;
        assert_eq!(
            got.json["error"]["message"], REFUSED,
            "{tool}: {}",
            got.text
        );
    }
    let other = mcp_elicit::Server::new("other", "1.0.0");
    let other = other
        .store(mcp_elicit::store::MemoryStore::new())
        .keyring(keyring());
    let other = other
        .auth(mcp_elicit::auth::DevUsers)
        .tools(bench.hotel.clone());
    assert!(!goes_on(&client.on(&other.build().await.unwrap()), state).await);
    bench.has_not_run();
}

#[tokio::test]
async fn a_state_lives_as_long_as_its_key() {
    let bench = Bench::new().await;
    let new = || Keyring::new([8; 32]).unwrap();
    let with = async |ring: Keyring| {
        let server = server().keyring(ring).tools(bench.hotel.clone());
        bench.client.on(&server.build().await.unwrap())
    };
    assert!(!goes_on(&with(new()).await, &bench.state).await);
    bench.has_not_run();
    let turned = with(new().and_old([7; 32]).unwrap()).await;
    assert!(goes_on(&turned, &bench.state).await);
}

#[tokio::test]
async fn a_state_is_for_its_time_alone() {
    let clock = Arc::new(AtomicU64::new(1_800_000_000_000));
    let tells = Arc::clone(&clock);
    let server = server()
        .limits(Limits::default().run(Duration::from_secs(90 * 60)))
        .tools(Hotel::default());
    let now = move || UnixTime::from_millis(tells.load(Ordering::SeqCst));
    let app = __private::test::clock(server, now).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let begun = clock.load(Ordering::SeqCst);
    let state = client.call("book", json!({ "nights": 2 })).await.state();
    let at = async |seconds: i64, state: &str| {
        clock.store(
            begun.saturating_add_signed(seconds * 1000),
            Ordering::SeqCst,
        );
        goes_on(&client, state).await
    };
    // One hour for each round; a minute is how far the clocks of two machines may differ.
    for (seconds, taken) in [
        (0, true),
        (3599, true),
        (3600, false),
        (-60, true),
        (-61, false),
    ] {
        assert_eq!(at(seconds, &state).await, taken, "after {seconds} seconds");
    }
    clock.store(u64::MAX, Ordering::SeqCst);
    assert!(!goes_on(&client, &state).await);
    // An answer that does not come brings another hour, but no run is longer than its limit.
    clock.store(begun + 3_000_000, Ordering::SeqCst);
    let second = client
        .retry("book", json!({ "nights": 2 }), &state, json!({}))
        .await;
    for (seconds, taken) in [(5399, true), (5400, false), (6599, false)] {
        assert_eq!(
            at(seconds, &second.state()).await,
            taken,
            "after {seconds} seconds"
        );
    }
}
