//! An example of the repository, built and running as a server under test.
//!
//! Uses `place`. Ends only the process that it started, by its own handle, also when a check fails half-way.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::{self, Tried};

/// How long a server may take from its start until it listens.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running example. Dropped, it is stopped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    port: u16,
    program: PathBuf,
    data: PathBuf,
    settings: Vec<(&'static str, &'static str)>,
    log: PathBuf,
}

/// Builds one example and says where its program is.
pub(crate) fn build(example: &str) -> Tried<PathBuf> {
    let log = place::work()?.join(format!("build-{example}.log"));
    place::quietly(
        place::cargo().args([
            "build",
            "--quiet",
            "--package",
            "mcp-elicit-examples",
            "--example",
            example,
        ]),
        &log,
    )?;
    let program = place::target()
        .join("debug")
        .join("examples")
        .join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("no program at {}", program.display()))
    }
}

impl Server {
    /// Starts `program` on a free loopback port with `data` as its data directory, and waits until it listens.
    pub(crate) fn start(
        program: &Path,
        data: &Path,
        settings: &[(&'static str, &'static str)],
    ) -> Tried<Self> {
        let port = free_port()?;
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let log = place::work()?.join(format!("server-{name}-{port}.log"));
        File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let child = spawn(program, data, settings, port, &log)?;
        let mut server = Self {
            child,
            port,
            program: program.to_owned(),
            data: data.to_owned(),
            settings: settings.to_vec(),
            log,
        };
        server.wait()?;
        Ok(server)
    }

    /// Ends it without warning and starts it again: same port, same data directory.
    pub(crate) fn restart(&mut self) -> Tried<()> {
        self.kill();
        self.again()
    }

    /// Starts it again after [`kill`](Self::kill): same port, same data directory.
    pub(crate) fn again(&mut self) -> Tried<()> {
        self.child = spawn(
            &self.program,
            &self.data,
            &self.settings,
            self.port,
            &self.log,
        )?;
        self.wait()
    }

    /// Ends it without warning (SIGKILL), and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// The id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The memory that it has in use, in KiB. Linux alone tells.
    pub(crate) fn memory(&self) -> Tried<u64> {
        let status = place::text(&PathBuf::from(format!("/proc/{}/status", self.child.id())))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| "the system does not tell how much memory a process has".to_owned())
    }

    /// Tells it to stop, as a service manager does, and does not wait.
    pub(crate) fn ask_to_stop(&self) -> Tried<()> {
        let id = self.child.id().to_string();
        place::output(Command::new("kill").args(["-TERM", &id])).map(drop)
    }

    /// The file with all that it wrote.
    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// What it wrote so far, its last lines.
    pub(crate) fn said(&self) -> String {
        place::last_lines(&self.log)
    }

    /// Whether it still runs: a server that bad input ended would otherwise look like a refused connection.
    pub(crate) fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn wait(&mut self) -> Tried<()> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if !self.alive() {
                return Err(format!("the server ended at once:\n{}", self.said()));
            }
            if TcpStream::connect_timeout(&self.address(), Duration::from_secs(1)).is_ok() {
                return Ok(());
            }
            sleep(Duration::from_millis(20));
        }
        Err(format!(
            "the server does not listen after {PATIENCE:?}:\n{}",
            self.said()
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(
    program: &Path,
    data: &Path,
    settings: &[(&str, &str)],
    port: u16,
    log: &Path,
) -> Tried<Child> {
    let written = |error| format!("cannot write {}: {error}", log.display());
    let file = File::options().append(true).open(log).map_err(written)?;
    Command::new(program)
        .env("PORT", port.to_string())
        .env("MCP_ELICIT_DATA", data)
        .envs(settings.iter().copied())
        .current_dir(data)
        .stdin(Stdio::null())
        .stdout(file.try_clone().map_err(written)?)
        .stderr(file)
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))
}

/// A port that is free now. Another program may take it first; then the start fails and says so.
pub(crate) fn free_port() -> Tried<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| format!("no free loopback port: {error}"))
}
