//! Stands between a client and the server that it starts, hands on every line, and writes all of it down: `cargo xtask
//! relay FOLDER COMMAND..`, for the `clients` judge.
//!
//! Uses `json` for what was written. It changes nothing. Whatever the client does, the server is gone soon after it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::json::Json;
use crate::place::{self, Tried};
use crate::recorder::Exchange;
use crate::seven::need;

/// How long the server may take to end when its client has gone.
const END: Duration = Duration::from_secs(10);

/// One process of the server, from its start to its end.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// The number of the server's process.
    id: u32,
    lines: Vec<(Source, String)>,
    ended: Option<String>,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Client,
    Server,
    /// The server's standard error.
    Log,
}

impl Source {
    const ALL: [(Self, &str); 3] = [
        (Self::Client, "client "),
        (Self::Server, "server "),
        (Self::Log, "log "),
    ];

    fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(from, _)| *from == self)
            .map_or("", |(_, word)| word)
    }
}

/// Begins the first line of a recording.
const BEGAN: &str = "began ";
/// Begins the last line, unless the client has ended this program first.
const ENDED: &str = "ended ";
/// Ends the text of a line that had no end of its own.
const CUT: &str = " (and no end of the line)";

/// Runs the command between this process's standard streams, and writes down what is said in a file of the folder.
pub(crate) fn run(arguments: &[String]) -> Tried<()> {
    let [folder, program, rest @ ..] = arguments else {
        return Err("relay needs FOLDER and COMMAND".to_owned());
    };
    let file = Path::new(folder).join(format!("{}.txt", std::process::id()));
    let file = File::create_new(&file)
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let mut command = Command::new(program);
    command.args(rest);
    relay(
        std::io::stdin(),
        std::io::stdout(),
        &mut command,
        Writer(file.into()),
    )
}

fn relay(
    client: impl Read + Send + 'static,
    to_client: impl Write,
    command: &mut Command,
    writer: Writer,
) -> Tried<()> {
    let mut server = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {command:?}: {error}"))?;
    writer.line(format!("{BEGAN}{}\n", server.id()).as_bytes());
    let (input, output, log) = (
        server.stdin.take(),
        server.stdout.take(),
        server.stderr.take(),
    );
    let (Some(input), Some(output), Some(log)) = (input, output, log) else {
        return Err("the server has no standard streams".to_owned());
    };
    let server = Mutex::new(server);
    let writer: &'static Writer = Box::leak(Box::new(writer));
    let server: &'static Mutex<Child> = Box::leak(Box::new(server));
    // Not waited for: a client may well keep its end open when the server has ended.
    thread::spawn(move || {
        writer.hand_on(Source::Client, client, input);
        end(server);
    });
    let logged = thread::spawn(move || writer.hand_on(Source::Log, log, std::io::stderr()));
    writer.hand_on(Source::Server, output, to_client);
    let ended = end(server);
    // A process that the server has left would keep it open.
    let start = Instant::now();
    while !logged.is_finished() && start.elapsed() < END {
        thread::sleep(Duration::from_millis(5));
    }
    writer.line(format!("{ENDED}{ended}\n").as_bytes());
    Ok(())
}

/// Waits for the server's end, and ends it if that takes too long. How it ended.
fn end(server: &Mutex<Child>) -> String {
    let locked = || server.lock().unwrap_or_else(PoisonError::into_inner);
    let start = Instant::now();
    while start.elapsed() < END {
        let status: std::io::Result<Option<ExitStatus>> = locked().try_wait();
        match status {
            Ok(None) => thread::sleep(Duration::from_millis(5)),
            Ok(Some(status)) => return status.to_string(),
            Err(error) => return error.to_string(),
        }
    }
    drop(locked().kill());
    drop(locked().wait());
    format!("by force, after {END:?}")
}

/// The file, a line at a time.
struct Writer(Mutex<File>);

impl Writer {
    /// Copies until either side is gone. Writes down first: whoever has seen a line finds it in the file.
    fn hand_on(&self, from: Source, read: impl Read, mut to: impl Write) {
        let mut read = BufReader::new(read);
        let mut line = Vec::new();
        while let Ok(1..) = read.read_until(b'\n', &mut line) {
            let mut written = from.word().as_bytes().to_vec();
            written.extend_from_slice(&line);
            if !line.ends_with(b"\n") {
                written.extend_from_slice(CUT.as_bytes());
                written.push(b'\n');
            }
            self.line(&written);
            if to.write_all(&line).and_then(|()| to.flush()).is_err() {
                return;
            }
            line.clear();
        }
    }

    fn line(&self, line: &[u8]) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Without its line a recording is wrong, and the judge sees that.
        drop(file.write_all(line));
    }
}

/// All recordings of a folder, when each of them has ended or that takes too long.
pub(crate) fn recordings(folder: &Path) -> Tried<Vec<Recording>> {
    let start = Instant::now();
    loop {
        let files = fs::read_dir(folder)
            .and_then(|files| files.collect::<Result<Vec<_>, _>>())
            .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        let texts = files.iter().map(|file| place::text(&file.path()));
        let read = texts.map(|text| Recording::read(&text?));
        let read = read.collect::<Tried<Vec<_>>>();
        let all_ended = |all: &Vec<Recording>| all.iter().all(Recording::is_over);
        if read.as_ref().is_ok_and(all_ended) || start.elapsed() > END * 2 {
            return read;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

impl Recording {
    fn read(text: &str) -> Tried<Self> {
        let mut recording = Self::default();
        for line in text.split_inclusive('\n') {
            let Some(line) = line.strip_suffix('\n') else {
                // It is being written.
                return Ok(recording);
            };
            if let Some(id) = line.strip_prefix(BEGAN) {
                recording.id = id.parse().map_err(|_| format!("no process: {line}"))?;
                continue;
            }
            if let Some(ended) = line.strip_prefix(ENDED) {
                recording.ended = Some(ended.to_owned());
                continue;
            }
            let mut words = Source::ALL.into_iter();
            let found = words.find_map(|(from, word)| Some((from, line.strip_prefix(word)?)));
            let (from, said) = found.ok_or_else(|| format!("no line of a recording: {line}"))?;
            recording.lines.push((from, said.to_owned()));
        }
        Ok(recording)
    }

    fn is_over(&self) -> bool {
        self.ended.is_some() || is_gone(self.id)
    }

    /// The server ended by itself when its client had gone. Of a client that did not wait for that, all that is known is
    /// that the server is gone.
    pub(crate) fn has_ended(&self) -> Tried<()> {
        let well = match &self.ended {
            Some(how) => how == "exit status: 0",
            None => is_gone(self.id),
        };
        need(well, || {
            let how = self.ended.as_deref().unwrap_or("not at all");
            format!("a server ended {how}:\n{}", self.log())
        })
    }

    /// All that the server wrote to its client.
    pub(crate) fn told(&self) -> String {
        self.said(Source::Server)
    }

    /// All that the server wrote to its standard error.
    pub(crate) fn log(&self) -> String {
        self.said(Source::Log)
    }

    fn said(&self, from: Source) -> String {
        let lines = self.lines.iter().filter(|(whose, _)| *whose == from);
        lines.map(|(_, line)| format!("{line}\n")).collect()
    }

    /// Each request with what answers it, by its id. What the server wrote that is no message is a fault, and so is a
    /// request without an answer.
    pub(crate) fn exchanges(&self) -> Tried<Vec<Exchange>> {
        let mut exchanges: Vec<Exchange> = Vec::new();
        let mut open: Vec<(Json, usize)> = Vec::new();
        for (from, line) in self.lines.iter().filter(|(from, _)| *from != Source::Log) {
            let message = Json::read(line).map_err(|fault| {
                format!("{}wrote what is no message: {line}: {fault}", from.word())
            })?;
            let method = message.get("method").and_then(Json::text);
            let id = message.get("id");
            let said = |method: &str, request: &str, answers| Exchange {
                method: method.to_owned(),
                request: request.to_owned(),
                answers,
            };
            match (from, method, id) {
                (Source::Client, _, _) => {
                    let place = exchanges.len();
                    exchanges.push(said(method.unwrap_or_default(), line, Vec::new()));
                    open.extend(id.map(|id| (id.clone(), place)));
                }
                // It says itself what it is about.
                (_, Some(_), _) => exchanges.push(said("", "", vec![line.clone()])),
                (_, None, id) => {
                    let place = open.iter().position(|(asked, _)| Some(asked) == id);
                    let place =
                        place.ok_or_else(|| format!("an answer to what was not asked: {line}"))?;
                    let (_, place) = open.swap_remove(place);
                    let exchange = exchanges.get_mut(place).ok_or("no such request")?;
                    exchange.answers.push(line.clone());
                }
            }
        }
        need(open.is_empty(), || format!("no answer to {open:?}"))?;
        Ok(exchanges)
    }
}

/// Whether no such process runs. One that nobody has waited for is gone too.
fn is_gone(id: u32) -> bool {
    // Without its number, it has not begun yet. Nought would mean all of our own group.
    if id == 0 {
        return false;
    }
    let state = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let is_dead = state.lines().any(|line| line.starts_with("State:\tZ"));
    is_dead || place::output(Command::new("kill").args(["-0", &id.to_string()])).is_err()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::Command;

    use super::{Recording, Writer, relay};

    #[test]
    fn answers_are_found_by_their_ids() {
        let text = "client {\"id\":1,\"method\":\"a\"}\nlog hello\nclient {\"id\":\"1\",\"method\":\"b\"}\n\
                    server {\"method\":\"n\"}\nserver {\"id\":\"1\",\"result\":{}}\nserver {\"id\":1,\"result\":[]}\n\
                    client {\"method\":\"c\"}\nended exit status: 0\n";
        let recording = Recording::read(text).unwrap();
        recording.has_ended().unwrap();
        assert_eq!(recording.log(), "hello\n");
        let exchanges = recording.exchanges().unwrap();
        let pairs: Vec<_> = exchanges
            .iter()
            .map(|one| (one.method.as_str(), one.answers.join(" ")))
            .collect();
        assert_eq!(
            pairs,
            [
                ("a", "{\"id\":1,\"result\":[]}".to_owned()),
                ("b", "{\"id\":\"1\",\"result\":{}}".to_owned()),
                ("", "{\"method\":\"n\"}".to_owned()),
                ("c", String::new()),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_a_fault() {
        let faults = |text: &str| {
            let recording = Recording::read(text).unwrap();
            recording.exchanges().unwrap_err()
        };
        assert!(faults("server printed\n").contains("no message: printed"));
        assert!(faults("client {\"id\":1,\"method\":\"a\"}\n").contains("no answer"));
        assert!(faults("server {\"id\":1,\"result\":{}}\n").contains("not asked"));
        assert!(Recording::read("whatever\n").is_err());
        let here = format!("began {}\n", std::process::id());
        for text in ["", "ended exit status: 1\n", "ended exit status: 0", &here] {
            assert!(Recording::read(text).unwrap().has_ended().is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_line_is_handed_on_and_written_down() {
        let path = std::env::temp_dir().join(format!("relay-{}.txt", std::process::id()));
        let file = Writer(File::create(&path).unwrap().into());
        let mut out = Vec::new();
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo started >&2; cat; printf end"]);
        relay(&b"{\"a\":1}\n"[..], &mut out, &mut shell, file).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(out, b"{\"a\":1}\nend");
        let mut lines: Vec<_> = written.lines().collect();
        // Who is first is by chance, but for the two ends.
        assert_eq!(lines.pop(), Some("ended exit status: 0"));
        assert!(lines.remove(0).starts_with("began "));
        lines.sort_unstable();
        let id = written.split(['\n', ' ']).nth(1).unwrap();
        assert!(super::is_gone(id.parse().unwrap()));
        let server = ["server end (and no end of the line)", "server {\"a\":1}"];
        assert_eq!(
            lines,
            [["client {\"a\":1}", "log started"], server].concat()
        );
    }
}
