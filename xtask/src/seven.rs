//! The billing example as an outside client and a browser meet it: the calls of the README, one after the other, and bad input. And
//! the interview example at two processes, each killed in turn.
//!
//! Uses `server`, `http` and `json`. Shares no code with the library, so a mistake there cannot hide itself here.

mod ask;
mod bad;
pub(crate) mod browser;
mod calls;
pub(crate) mod form;
pub(crate) mod mcp;
mod robin;

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::{self, Tried};
use crate::server::{self, Server};
use crate::verify::Outcome;
use mcp::Wire;

/// How long the example holds a retry whose page is not done, in seconds. Its default is made for people.
const HOLD: u64 = 4;

/// What the user types on the page. It may be seen nowhere but there.
const KEY: &str = "sk_live_4f9c2e7ab1d05c83";

/// What every part of the run shares.
#[derive(Debug)]
struct Bench {
    program: PathBuf,
    data: PathBuf,
    server: Server,
    wire: Wire,
}

type Part = (&'static str, fn(&mut Bench) -> Tried<()>);

/// Each part has users of its own, so that none finds what another stored.
const PARTS: [Part; 11] = [
    ("a client without url mode", calls::undeclared),
    ("the question", calls::asked),
    ("the page, then the retry", calls::completed),
    ("the retry is woken by the page", calls::woken),
    ("declined", calls::declined),
    ("state that is not as it was given", calls::refused_state),
    ("another user at the link", calls::other_user),
    ("a restart in between", calls::restarted),
    ("two processes", calls::two_processes),
    ("six rounds at two processes", robin::run),
    ("bad input", bad::run),
];

/// Runs all parts; one that fails does not stop the next.
pub(crate) fn run() -> Outcome {
    let mut bench = match Bench::new() {
        Ok(bench) => bench,
        Err(fault) => return Outcome::Failed(vec![fault]),
    };
    let mut faults = Vec::new();
    for (name, part) in PARTS {
        if let Err(fault) = part(&mut bench) {
            faults.push(format!("{name}: {fault}"));
        }
        if !bench.server.alive() {
            faults.push(format!(
                "{name}: the server ended:\n{}",
                bench.server.said()
            ));
            break;
        }
    }
    faults.extend(
        bench
            .leaks()
            .err()
            .map(|fault| format!("nothing leaks: {fault}")),
    );
    if faults.is_empty() {
        Outcome::Passed(format!("all {} parts", PARTS.len() + 1))
    } else {
        Outcome::Failed(faults)
    }
}

impl Bench {
    fn new() -> Tried<Self> {
        let program = server::build("billing")?;
        let data = place::emptied(place::work()?.join("seven"))?;
        let server = Server::start(&program, &data, &Self::settings())?;
        let wire = Wire::new(server.address());
        Ok(Self {
            program,
            data,
            server,
            wire,
        })
    }

    fn settings() -> [(&'static str, &'static str); 1] {
        const { assert!(HOLD == 4, "the text below says the same") };
        [("MCP_ELICIT_HOLD_SECONDS", "4")]
    }

    /// A second process beside the first, on the same data.
    fn second(&self) -> Tried<Server> {
        Server::start(&self.program, &self.data, &Self::settings())
    }

    /// The typed key is in nothing that a client got, no log line and no file.
    fn leaks(&self) -> Tried<()> {
        let client = self.wire.seen();
        need(!client.is_empty(), || "no answer was seen".to_owned())?;
        for (form, needle) in forms(KEY) {
            need(!contains(&client, &needle), || {
                format!("the typed key, {form}, was sent to the client")
            })?;
            need(!contains(&read(self.server.log())?, &needle), || {
                format!("the typed key, {form}, is in the log")
            })?;
            for file in fs::read_dir(&self.data).map_err(|error| error.to_string())? {
                let path = file.map_err(|error| error.to_string())?.path();
                let stored = if path.is_file() {
                    read(&path)?
                } else {
                    Vec::new()
                };
                need(!contains(&stored, &needle), || {
                    format!("the typed key, {form}, is in {}", path.display())
                })?;
            }
        }
        Ok(())
    }
}

/// The ways in which a text may be written without being hidden.
fn forms(text: &str) -> [(&'static str, Vec<u8>); 3] {
    let hex = text
        .bytes()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>();
    [
        ("as typed", text.into()),
        ("in hexadecimal", hex.into()),
        ("in base64", base64(text.as_bytes()).into()),
    ]
}

/// Whole groups only, so that it is found whatever follows.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |group: &[u8]| {
        let bits = group
            .iter()
            .fold(0_usize, |bits, byte| (bits << 8) | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| {
            DIGITS
                .get((bits >> shift) & 63)
                .map_or('?', |digit| char::from(*digit))
        })
    };
    bytes.chunks_exact(3).flat_map(digits).collect()
}

fn read(path: &Path) -> Tried<Vec<u8>> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// Fails with a text when a condition does not hold.
pub(crate) fn need(condition: bool, fault: impl FnOnce() -> String) -> Tried<()> {
    if condition { Ok(()) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use super::{base64, contains};

    #[test]
    fn base64_as_others_write_it() {
        assert_eq!(base64(b"Hello!"), "SGVsbG8h");
        assert_eq!(base64(b"Hello"), "SGVs");
        assert!(contains(b"xabcx", b"abc") && !contains(b"xabx", b"abc"));
    }
}
