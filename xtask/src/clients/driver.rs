//! Runs one driver: a program that writes a line of JSON for each story, and one whenever its user opens a link.
//!
//! Uses `json`. Whatever the driver started ends with it, also when a check fails half-way.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::json::Json;
use crate::place::{self, Tried};

/// How long one story may take: longer than a page is waited for.
const PATIENCE: Duration = Duration::from_secs(50);
/// How long the driver may take to end after its last story.
const END: Duration = Duration::from_secs(10);

/// A process and its children: a process group.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // The child is not waited for yet, so the number is still its own. What has ended already is no fault.
        let group = format!("-{}", self.0.id());
        drop(place::output(
            Command::new("kill").args(["-KILL", "--", &group]),
        ));
        drop(self.0.wait());
    }
}

/// Runs it to its end; `open` is called for each link that its user opens. The lines of the stories.
pub(super) fn run(
    command: &mut Command,
    log: &Path,
    open: impl Fn(&str) -> Tried<()>,
) -> Tried<Vec<Json>> {
    let file = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command
        .spawn()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let mut group = Group(child);
    let output = group.0.stdout.take().ok_or("no standard output")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut told = Vec::new();
    loop {
        let line = match lines.recv_timeout(PATIENCE) {
            Ok(line) => Json::read(&line).map_err(|fault| format!("{fault}: {line}"))?,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!(
                    "no word for {PATIENCE:?}, after {} stories",
                    told.len()
                ));
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        match line.get("open").and_then(Json::text) {
            Some(url) => open(url)?,
            None => told.push(line),
        }
    }
    let start = Instant::now();
    while start.elapsed() < END {
        match group.0.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(told),
            Some(status) => return Err(format!("ended with {status}")),
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
    Err(format!("did not end for {END:?} after its last story"))
}
