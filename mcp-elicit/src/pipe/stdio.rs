//! The standard streams of this process as a pipe.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::{mpsc, oneshot};

use super::converse;
use super::writer::{self, Said};
use crate::auth::os;
use crate::server::Server;
use crate::server::app::App;
use crate::server::serve::stop;
use crate::start_error::StartError;

impl Server {
    /// Builds the server and serves the client that has started this process, over its standard
    /// streams, until the client closes them or the process is told to stop (Ctrl-C, SIGTERM).
    ///
    /// The user is [`OsUser`](crate::auth::OsUser); what is said by [`auth`](Self::auth),
    /// [`browser_identity`](Self::browser_identity) and [`base_url`](Self::base_url) is for HTTP and does
    /// not count here. Unless a data directory is given, here or by `MCP_ELICIT_DATA`, it is
    /// `mcp-elicit/` and the server's name in the user's own data directory, such as
    /// `~/.local/share/mcp-elicit/billing`.
    ///
    /// ```no_run
    /// # use mcp_elicit::prelude::*;
    /// # #[tool(description = "Says hello.")] async fn hello() -> &'static str { "Hello!" }
    /// #[tokio::main]
    /// async fn main() -> mcp_elicit::Result<()> {
    ///     Server::new("hello", env!("CARGO_PKG_VERSION")).tools(toolset![hello]).serve_stdio().await
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build) and of [`App::serve_stdio`].
    pub async fn serve_stdio(self) -> Result<(), StartError> {
        self.for_os_user().build().await?.serve_stdio().await
    }
}

impl App {
    /// Serves the client that has started this process, over its standard streams, until the client
    /// closes them or the process is told to stop (Ctrl-C, SIGTERM). What is under way then has as long as
    /// the limit `finish` says, effects as long as `effect`.
    ///
    /// Nothing but messages may be written to standard output. On Unix that is seen to: from here on
    /// what this process and those that it starts print there goes to standard error, and they find nothing in
    /// standard input. Elsewhere do not print; let your log go to standard error everywhere.
    ///
    /// The data directory is the one with which the server was built; with
    /// [`OsUser`](crate::auth::OsUser) it is the user's own.
    ///
    /// # Errors
    /// Standard streams that are not there, cannot be read or written, or are served already.
    pub async fn serve_stdio(&self) -> Result<(), StartError> {
        let failed = |what: &str, e: io::Error| StartError::new(vec![format!("{what}: {e}")]);
        let (input, output) = take_streams().map_err(|e| failed("no standard streams", e))?;
        let (say, said) = writer::channel();
        let written = thread_that_writes(said, output);
        let written = written.map_err(|e| failed("no thread to write", e))?;
        let read = Reader::begin(input).map_err(|e| failed("no thread to read", e))?;
        let rewrapping = self.rewrap_in_background();
        let services = &self.0.services;
        let ending = Arc::clone(services);
        let close = move || {
            ending.closing.send_replace(true);
        };
        let told = close.clone();
        let conversed = {
            let talk = converse(self, os::own(), read, (say, written), close);
            let mut talk = std::pin::pin!(talk);
            tokio::select! {
                ended = &mut talk => ended,
                () = stop() => {
                    told();
                    talk.await
                }
            }
        };
        rewrapping.abort();
        self.effects_recorded().await;
        self.0.own_pages.close().await;
        match conversed {
            // The client has gone, which is how this ends.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|e| failed("the server stopped", e)),
        }
    }
}

/// The streams of this process, for one server alone.
fn take_streams() -> io::Result<(File, File)> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::AcqRel) {
        return Err(io::Error::other("they are served already"));
    }
    own_streams()
}

#[cfg(unix)]
fn own_streams() -> io::Result<(File, File)> {
    use std::os::fd::AsFd as _;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // A handler that prints, or starts a process that reads, must not get between us and the client.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((input.into(), output.into()))
}

#[cfg(windows)]
fn own_streams() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle as _;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

// Threads of their own, since what blocks in the runtime's would keep it from its end: a read ends only
// when the client does something.

/// Reads in a thread.
struct Reader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    rest: Vec<u8>,
    taken: usize,
}

impl Reader {
    fn begin(mut from: File) -> io::Result<Self> {
        let (send, chunks) = mpsc::channel(1);
        let read = move || {
            let mut chunk = vec![0; 16 * 1024];
            loop {
                let read = match from.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(many) => Ok(chunk.get(..many).unwrap_or_default().to_vec()),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(e) => Err(e),
                };
                let has_failed = read.is_err();
                if send.blocking_send(read).is_err() || has_failed {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("mcp-elicit-in".into())
            .spawn(read)?;
        Ok(Self {
            chunks,
            rest: Vec::new(),
            taken: 0,
        })
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken >= self.rest.len() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => (self.rest, self.taken) = (chunk?, 0),
                None => return Poll::Ready(Ok(())),
            }
        }
        let rest = self.rest.get(self.taken..).unwrap_or_default();
        let most = rest.len().min(into.remaining());
        into.put_slice(rest.get(..most).unwrap_or_default());
        self.taken += most;
        Poll::Ready(Ok(()))
    }
}

/// Writes in a thread; resolves when all was written.
fn thread_that_writes(
    mut said: mpsc::Receiver<Said>,
    mut to: File,
) -> io::Result<impl Future<Output = io::Result<()>>> {
    let (done, written) = oneshot::channel();
    let write = move || {
        let mut all = || {
            while let Some(next) = said.blocking_recv() {
                if let Some(line) = next.line() {
                    to.write_all(line)?;
                }
            }
            Ok(())
        };
        let _ = done.send(all());
    };
    thread::Builder::new()
        .name("mcp-elicit-out".into())
        .spawn(write)?;
    Ok(async move { written.await.unwrap_or(Ok(())) })
}
