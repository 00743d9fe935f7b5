//! How a client reaches the server, the user its pages, and what was written down in between.
//!
//! Uses `recorder` for HTTP, `relay` for stdio, and `seven::browser` for the user.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::json::quoted;
use crate::place::{self, Tried};
use crate::recorder::{Exchange, Recorder};
use crate::relay;
use crate::seven::browser::{Browser, Page};
use crate::seven::need;

/// What the user types on the page. No client may see it.
pub(super) const PASSWORD: &str = "correct horse battery staple";
/// How long the user takes: the client's retry is there before the page is done.
const AT_THE_PAGE: Duration = Duration::from_millis(500);

/// One client's way to the server.
#[derive(Debug)]
pub(super) enum Transport {
    /// Streamable HTTP, as this user.
    Http {
        recorder: Recorder,
        user: &'static str,
    },
    /// The client starts this program; its recordings are in the folder.
    Stdio { program: PathBuf, folder: PathBuf },
}

/// What was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) exchanges: Vec<Exchange>,
    /// Every byte that the client got.
    pub(super) bytes: Vec<u8>,
    /// What the server wrote to its standard error, where that is the client's.
    pub(super) log: Option<String>,
}

impl Transport {
    pub(super) fn http(server: SocketAddr, user: &'static str) -> Tried<Self> {
        let recorder = Recorder::start(server)?;
        Ok(Self::Http { recorder, user })
    }

    pub(super) fn stdio(program: &Path, user: &'static str) -> Tried<Self> {
        Ok(Self::Stdio {
            program: program.to_owned(),
            folder: place::emptied(place::work()?.join("clients").join("stdio").join(user))?,
        })
    }

    /// The way as the drivers read it.
    pub(super) fn json(&self) -> Tried<String> {
        Ok(match self {
            Self::Http { recorder, user } => {
                let url = format!("http://{}/mcp", recorder.address());
                format!(r#"{{"url":{},"user":{}}}"#, quoted(&url), quoted(user))
            }
            Self::Stdio { program, folder } => {
                let here = std::env::current_exe()
                    .map_err(|error| format!("this program does not know where it is: {error}"))?;
                let path = |path: &Path| path.to_string_lossy().into_owned();
                let (here, folder, program) = (path(&here), path(folder), path(program));
                let words = [&here, "relay", &folder, &program, "--stdio"].map(quoted);
                format!(r#"{{"command":[{}]}}"#, words.join(","))
            }
        })
    }

    /// The user opens the link and fills in the page.
    pub(super) fn fill(&self, url: &str) -> Tried<()> {
        thread::sleep(AT_THE_PAGE);
        match self {
            // The link leads to where the client called, and the user signs in.
            Self::Http { recorder, user } => {
                let mut browser = Browser::new(recorder.address());
                let page = browser.open_as(user, url)?;
                filled(&mut browser, &page)
            }
            // The server is of this machine and of this user alone, and the link is what it is known by.
            Self::Stdio { .. } => {
                let mut browser = Browser::new(loopback(url)?);
                let page = browser.open(url)?;
                filled(&mut browser, &page)
            }
        }
    }

    /// All that was sent, once the client has ended.
    pub(super) fn sent(&self) -> Tried<Sent> {
        match self {
            Self::Http { recorder, .. } => Ok(Sent {
                exchanges: recorder.exchanges()?,
                bytes: recorder.answered(),
                log: None,
            }),
            Self::Stdio { folder, .. } => {
                let mut exchanges = Vec::new();
                let mut bytes = Vec::new();
                let mut log = String::new();
                for recording in relay::recordings(folder)? {
                    recording.has_ended()?;
                    exchanges.extend(recording.exchanges()?);
                    bytes.extend(recording.told().into_bytes());
                    log.push_str(&recording.log());
                }
                // A client keeps the log of a server that it starts, or shows it.
                bytes.extend(log.as_bytes());
                Ok(Sent {
                    exchanges,
                    bytes,
                    log: Some(log),
                })
            }
        }
    }
}

fn filled(browser: &mut Browser, page: &Page) -> Tried<()> {
    let form = page.form("password")?;
    let filled = [("password", PASSWORD), ("label", "Ada's account")];
    let done = browser.submit(&page.path, &form, &filled)?;
    need(done.answer.status == 200, || {
        format!("the page was answered with HTTP {}", done.answer.status)
    })
}

/// Where a link leads, which may be nowhere but to this machine.
fn loopback(url: &str) -> Tried<SocketAddr> {
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split('/').next()?.parse::<SocketAddr>().ok());
    address
        .filter(|address| address.ip().is_loopback())
        .ok_or_else(|| format!("the link leads to {url}"))
}

#[cfg(test)]
mod tests {
    use super::loopback;

    #[test]
    fn a_link_leads_to_this_machine() {
        let address = loopback("http://127.0.0.1:4017/ui/account/x").unwrap();
        assert_eq!(address, ([127, 0, 0, 1], 4017).into());
        for url in ["http://192.0.2.1:80/ui", "http://example.com/ui", "x"] {
            assert!(loopback(url).is_err());
        }
    }
}
