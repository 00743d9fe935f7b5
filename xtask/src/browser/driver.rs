//! The browser's driver: a process that is told by WebDriver, over loopback, what its browser shall do.
//!
//! Uses `http`, `json` and `debian`. Ends only the driver that it started, and with it the browser.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::debian::Programs;
use crate::http::{self, Request};
use crate::json::{Json, quoted};
use crate::place::{self, Tried};
use crate::server::free_port;

/// How long the driver may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A driver with one session: a browser with a profile of its own. Dropped, both are ended.
#[derive(Debug)]
pub(super) struct Driver {
    child: Child,
    address: SocketAddr,
    session: String,
}

impl Driver {
    pub(super) fn start(programs: &Programs) -> Tried<Self> {
        let port = free_port()?;
        let log = place::work()?.join("chromedriver.log");
        let written = |error| format!("cannot write {}: {error}", log.display());
        let file = File::create(&log).map_err(written)?;
        let child = Command::new(&programs.driver)
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(file.try_clone().map_err(written)?)
            .stderr(file)
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", programs.driver.display()))?;
        let mut it = Self {
            child,
            address: (Ipv4Addr::LOCALHOST, port).into(),
            session: String::new(),
        };
        it.wait()?;
        let made = it.command("POST", "/session", &capabilities(programs))?;
        let id = made.get("sessionId").and_then(Json::text);
        it.session = format!("/session/{}", id.ok_or("the driver gave no session")?);
        Ok(it)
    }

    fn wait(&self) -> Tried<()> {
        let start = Instant::now();
        while TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_err() {
            if start.elapsed() > PATIENCE {
                return Err("the browser's driver does not listen".to_owned());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn command(&self, method: &str, target: &str, body: &str) -> Tried<Json> {
        let request = Request {
            method,
            target,
            headers: vec![("Content-Type", "application/json; charset=utf-8")],
            body: body.as_bytes(),
        };
        let answer = http::send(self.address, &request)?;
        let Json::Object(members) = Json::read(&answer.body)? else {
            return Err(format!("the driver sent no object: {}", answer.body));
        };
        let value = members
            .into_iter()
            .find_map(|(name, value)| (name == "value").then_some(value));
        let value = value.ok_or("the driver sent no value")?;
        if answer.status == 200 {
            return Ok(value);
        }
        let told = value.get("message").and_then(Json::text).unwrap_or("?");
        let told = told.lines().next().unwrap_or_default();
        Err(format!("{target}: {told}"))
    }

    pub(super) fn post(&self, what: &str, body: &str) -> Tried<Json> {
        self.command("POST", &format!("{}{what}", self.session), body)
    }

    pub(super) fn get(&self, what: &str) -> Tried<Json> {
        self.command("GET", &format!("{}{what}", self.session), "")
    }

    /// A command of the browser's own protocol.
    pub(super) fn devtools(&self, command: &str, parameters: &str) -> Tried<Json> {
        let body = format!(r#"{{"cmd":{},"params":{parameters}}}"#, quoted(command));
        self.post("/goog/cdp/execute", &body)
    }

    pub(super) fn delete(&self, what: &str) -> Tried<Json> {
        self.command("DELETE", &format!("{}{what}", self.session), "")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Ends the browser, which is the driver's child; it fails only when that has ended already.
        if !self.session.is_empty() {
            drop(self.delete(""));
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn capabilities(programs: &Programs) -> String {
    // Without the middle ones it looks for hosts outside at every start.
    let mut arguments = vec![
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--lang=en-GB",
    ];
    if programs.is_root {
        arguments.push("--no-sandbox");
    }
    let arguments: Vec<String> = arguments.into_iter().map(quoted).collect();
    format!(
        r#"{{"capabilities":{{"alwaysMatch":{{"browserName":"chrome","goog:loggingPrefs":{{"browser":"ALL"}},"goog:chromeOptions":{{"binary":{},"args":[{}]}}}}}}}}"#,
        quoted(&programs.browser.to_string_lossy()),
        arguments.join(",")
    )
}
