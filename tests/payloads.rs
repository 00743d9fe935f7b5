//! What lies under the seal of a right key and is not what this build would have put there: of an
//! older or newer layout, or of a handler that was another. It is refused, or the best is made of it;
//! it makes nothing panic.

use mcp_elicit::serde::{Deserialize, Serialize};
use mcp_elicit_tests::fuzz;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.roll(256) as u8)
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len() as u64) as usize].clone()
    }
}

#[test]
fn any_bytes() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..1_000 {
        let bytes: Vec<u8> = (0..dice.roll(400)).map(|_| dice.roll(256) as u8).collect();
        fuzz::sealed(&bytes);
    }
}

#[test]
fn a_payload_with_a_bit_changed_and_each_part_of_one() {
    let payloads = fuzz::payloads();
    assert_eq!(payloads.len(), 3);
    for payload in payloads {
        for at in 0..payload.len() {
            let mut changed = payload.clone();
            changed[at] ^= 1 << (at % 8);
            fuzz::sealed(&changed);
            if at % 4 == 0 {
                fuzz::sealed(&payload[..at]);
            }
        }
        fuzz::sealed(&[&payload[..], b"\0"].concat());
    }
}

// The layout as the architecture describes it, written down once more: a change of it shows here.

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
struct Parked {
    run: [u8; 16],
    round: u8,
    began: u64,
    deadline: u64,
    fingerprint: u64,
    rev: u32,
    pending: Vec<Pending>,
    changed: Vec<String>,
    journal: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
struct Pending {
    key: String,
    digest: [u8; 16],
    attempts: u8,
    ticket: Option<[u8; 16]>,
    until: Option<u64>,
    shown: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
enum Outcome {
    Accepted(String),
    Declined,
    Cancelled,
    Invalid(String),
    TimedOut,
    Result(String),
    LargeResult { content: [u8; 16] },
}

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
enum Entry {
    Ask {
        key: String,
        digest: [u8; 16],
        outcome: Outcome,
    },
    Step {
        name: String,
        json: String,
    },
    LargeStep {
        name: String,
        blob: [u8; 16],
    },
    Effect {
        name: String,
        after: Vec<String>,
    },
    Checked {
        key: String,
        version: [u8; 16],
    },
}

/// Texts that a journal could hold where another was expected.
const TEXTS: [&str; 14] = [
    "",
    "{}",
    "null",
    "[]",
    "7",
    "{",
    "\u{0}\u{202e}\"",
    r#"{"confirm":true}"#,
    r#"{"name":"a","seats":3}"#,
    r#"{"name":7,"seats":"x"}"#,
    r#"{"one":"2"}"#,
    r#"[[1,"one"],[2,"two"]]"#,
    r#"[[1,"one"],[1,"one"]]"#,
    r#"{"api_key":"sk_live_0123456789"}"#,
];

const NAMES: [&str; 8] = [
    "everything",
    "pick",
    "confirm",
    "account",
    "list",
    "effect",
    "",
    "another",
];

fn entry(dice: &mut Dice, digests: &[[u8; 16]]) -> Entry {
    let name = dice.one_of(&NAMES).to_owned();
    let text = dice.one_of(&TEXTS).to_owned();
    match dice.roll(6) {
        0 | 1 => Entry::Ask {
            key: name,
            digest: dice.one_of(digests),
            outcome: match dice.roll(8) {
                0 => Outcome::Declined,
                1 => Outcome::Cancelled,
                2 => Outcome::Invalid(text),
                3 => Outcome::TimedOut,
                4 => Outcome::Result(text),
                5 => Outcome::LargeResult {
                    content: dice.bytes(),
                },
                _ => Outcome::Accepted(text),
            },
        },
        2 => Entry::Step { name, json: text },
        3 => Entry::LargeStep {
            name,
            blob: dice.bytes(),
        },
        4 => Entry::Checked {
            key: name,
            version: dice.bytes(),
        },
        _ => Entry::Effect {
            name,
            after: (0..dice.roll(3))
                .map(|_| dice.one_of(&NAMES).to_owned())
                .collect(),
        },
    }
}

/// Whole payloads that say strange things. Some of their digests are those of questions that are
/// asked: they are read out of payloads that the server has made.
#[test]
fn a_payload_that_says_strange_things() {
    let mut digests: Vec<[u8; 16]> = Vec::new();
    let mut fingerprints = vec![0, u64::MAX];
    for payload in fuzz::payloads() {
        let parked: Parked = postcard::from_bytes(&payload).unwrap();
        digests.extend(parked.pending.iter().map(|p| p.digest));
        fingerprints.push(parked.fingerprint);
        let again = postcard::to_allocvec(&parked).unwrap();
        assert_eq!(again, payload, "the layout is another by now");
    }
    assert!(digests.len() >= 4);
    let mut dice = Dice(0xD1B5_4A32_D192_ED03);
    for _ in 0..1_500 {
        let mut digests = digests.clone();
        digests.push(dice.bytes());
        let later = u64::MAX >> dice.roll(20);
        let parked = Parked {
            run: dice.bytes(),
            round: dice.one_of(&[0, 1, 7, 8, 255]),
            began: dice.one_of(&[0, 1_800_000_000_000, u64::MAX]),
            deadline: dice.one_of(&[later, u64::MAX, 0]),
            fingerprint: dice.one_of(&fingerprints),
            rev: dice.one_of(&[0, 0, 0, 1, u32::MAX]),
            pending: (0..dice.roll(4))
                .map(|_| Pending {
                    key: dice.one_of(&NAMES).to_owned(),
                    digest: dice.one_of(&digests),
                    attempts: dice.one_of(&[0, 2, 3, 255]),
                    ticket: (dice.roll(2) == 0).then(|| dice.bytes()),
                    until: (dice.roll(4) == 0).then(|| dice.one_of(&[0, later, u64::MAX])),
                    shown: (dice.roll(4) == 0).then(|| dice.one_of(&TEXTS).to_owned()),
                })
                .collect(),
            changed: (0..dice.roll(2))
                .map(|_| dice.one_of(&NAMES).to_owned())
                .collect(),
            journal: (0..dice.roll(6))
                .map(|_| entry(&mut dice, &digests))
                .collect(),
        };
        fuzz::sealed(&postcard::to_allocvec(&parked).unwrap());
    }
}
