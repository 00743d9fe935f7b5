//! What every story shares: the examples, a client of each, one browser.
//!
//! Uses `server`, `seven::mcp`, `window` and `inspect`.

use super::debian::Programs;
use super::inspect::Inspector;
use super::window::Window;
use crate::json::Json;
use crate::npm::Packages;
use crate::place::{self, Tried};
use crate::server::{self, Server};
use crate::seven::mcp::{Call, Wire};
use crate::seven::need;

/// What the users type as their secret. It may be seen nowhere but in the field.
pub(super) const KEY: &str = "sk_live_4f9c2e7ab1d05c83";

/// How long a page stays open on the impatient server, in seconds.
pub(super) const BRIEF: u64 = 2;

#[derive(Debug)]
pub(super) struct Stage {
    pub(super) window: Window,
    pub(super) inspector: Inspector,
    /// The usual example, with the usual looks.
    pub(super) billing: House,
    /// Every kind of field, in the author's own looks.
    pub(super) pages: House,
    /// The usual example, with pages that expire at once.
    pub(super) brief: House,
}

/// A running example and the way to call it.
#[derive(Debug)]
pub(super) struct House {
    server: Server,
    wire: Wire,
}

/// An open question.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) link: String,
    pub(super) state: String,
    user: String,
    tool: String,
    key: String,
}

impl Stage {
    pub(super) fn new(programs: &Programs, packages: &Packages) -> Tried<Self> {
        const { assert!(BRIEF == 2, "the text below says the same") };
        let work = place::work()?;
        let house = |name: &str, program, settings: &[_]| {
            let data = place::emptied(work.join(format!("browser-{name}")))?;
            let server = Server::start(program, &data, settings)?;
            let wire = Wire::new(server.address());
            Tried::Ok(House { server, wire })
        };
        let (billing, pages) = (server::build("billing")?, server::build("pages")?);
        let hold = ("MCP_ELICIT_HOLD_SECONDS", "0");
        Ok(Self {
            window: Window::open(programs)?,
            inspector: Inspector {
                axe: packages.text("axe-core/axe.min.js")?,
                pictures: place::emptied(work.join("screenshots"))?,
            },
            billing: house("billing", &billing, &[hold])?,
            pages: house("pages", &pages, &[hold])?,
            brief: house(
                "brief",
                &billing,
                &[hold, ("MCP_ELICIT_LIFETIME_SECONDS", "2")],
            )?,
        })
    }

    /// Nobody is signed in, scripts may run, the window is as usual.
    pub(super) fn fresh(&self) -> Tried<()> {
        self.window.forget()?;
        self.window.scripts(true)?;
        self.window.visit("about:blank")
    }

    pub(super) fn is_alive(&mut self) -> bool {
        self.billing.server.alive() && self.pages.server.alive() && self.brief.server.alive()
    }

    /// Looks at the page that is shown.
    pub(super) fn inspect(&self, name: &str) -> Tried<()> {
        self.inspector.page(&self.window, name)
    }

    /// Opens a link and signs in as `user` on the way.
    pub(super) fn open_as(&self, user: &str, link: &str) -> Tried<()> {
        self.window.visit(link)?;
        self.sign_in(user)
    }

    /// Signs in on the page that is shown.
    pub(super) fn sign_in(&self, user: &str) -> Tried<()> {
        self.heading("Sign in")?;
        self.window.clear("#name")?;
        self.window.fill("#name", user)?;
        self.window.send("main button")
    }

    pub(super) fn heading(&self, wanted: &str) -> Tried<()> {
        let heading = self.window.heading()?;
        need(heading == wanted, || {
            format!("the page says `{heading}`, not `{wanted}`")
        })
    }

    /// The secret is not in the page, whatever way one looks.
    pub(super) fn no_secret(&self) -> Tried<()> {
        let all = self.window.told(
            "return document.documentElement.outerHTML + [...document.querySelectorAll('input,textarea')].map(e => e.value).join()",
        )?;
        need(!all.contains(KEY), || {
            "the page shows the typed secret".to_owned()
        })
    }
}

impl House {
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.wire.address())
    }

    /// A call of `tool` that asks by one page.
    pub(super) fn ask(&self, user: &str, tool: &str) -> Tried<Asked> {
        let reply = self.wire.call(&Call::first(user, tool))?;
        let result = reply.result("input_required")?;
        let Some(Json::Object(requests)) = result.get("inputRequests") else {
            return Err(format!("no questions: {result:?}"));
        };
        let (key, _) = requests.first().ok_or("no question")?;
        let link = reply.needed(&["result", "inputRequests", key, "params", "url"])?;
        Ok(Asked {
            link: link.to_owned(),
            state: reply.needed(&["result", "requestState"])?.to_owned(),
            user: user.to_owned(),
            tool: tool.to_owned(),
            key: key.clone(),
        })
    }

    /// Whether the call comes to an end when the client says that the user has been at the page.
    pub(super) fn is_done(&self, asked: &Asked) -> Tried<bool> {
        let answers = format!(r#"{{"{}":{{"action":"accept"}}}}"#, asked.key);
        let call = Call::first(&asked.user, &asked.tool);
        let reply = self.wire.call(&call.retry(&answers, &asked.state))?;
        let seen = self.wire.seen();
        need(
            !seen.windows(KEY.len()).any(|part| part == KEY.as_bytes()),
            || "the client was sent the secret".to_owned(),
        )?;
        match reply.text(&["result", "resultType"]) {
            Some("complete") => Ok(true),
            Some("input_required") => Ok(false),
            _ => Err(format!("neither done nor asked again: {:?}", reply.json)),
        }
    }
}
