//! The pages as a browser meets them: requests into the router, answers out of it.

mod connections;
mod identity;
mod log;
mod rates;
mod show;
mod sign_in;
mod start;
mod submit;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use tower_service::Service as _;
use zeroize::Zeroizing;

use super::*;
use crate::Invalid;
use crate::Keyring;
use crate::Limits;
use crate::auth::peer::Proxies;
use crate::declare::Declaration;
use crate::declare::{Elicit, Fallback, Field, FormTable, Keep, Kind};
use crate::store::{MemoryStore, Opened, Owner, RowKey, Ticket, TicketId, TicketStatus};

const HOST: &str = "localhost:3000";

/// A credential with one secret and one label.
static BILLING: FormTable<'static> = FormTable::new(&[
    Field::new(
        "api_key",
        "API key",
        "Secret key from the provider's dashboard",
        Kind::Secret { multiline: false },
        true,
    ),
    Field::new(
        "label",
        "Label",
        "A name for this account",
        Kind::Text {
            min_length: None,
            max_length: Some(40),
            format: None,
        },
        false,
    ),
]);

/// The type of that page, with a rule that its table does not have.
struct BillingKey;

impl Elicit for BillingKey {
    type Options = ();

    fn declaration() -> &'static Declaration {
        static IT: Declaration = Declaration::page::<BillingKey>(
            "billing_key",
            "Please provide your API key to continue.",
            &BILLING,
            "set_api_key",
            Keep::UntilRemoved,
            Fallback::None,
        );
        &IT
    }

    fn decode(json: &str) -> Result<Self, Invalid> {
        if json.contains("sk-revoked") {
            Err(Invalid::field("api_key", "is revoked").and(Invalid::new("try another account")))
        } else {
            Ok(Self)
        }
    }

    fn each_value(&self, _: &mut dyn FnMut(crate::declare::Checked<'_>)) {}
}

/// A server's pages with a clock that stands still.
struct Site {
    web: Arc<Web>,
    router: Router,
    clock: Arc<AtomicU64>,
}

impl Site {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Web)) -> Self {
        let clock = Arc::new(AtomicU64::new(1_800_000_000_000));
        let time = Arc::clone(&clock);
        let count = AtomicU64::new(0);
        let mut web = Web {
            audit: crate::observe::audit::Audit::default(),
            keys: Arc::new(Keys::derive(&Keyring::new([7; 32]).unwrap(), "billing")),
            store: Arc::new(MemoryStore::new()),
            clock: Arc::new(move || UnixTime::from_millis(time.load(Ordering::SeqCst))),
            random: Arc::new(move |bytes: &mut [u8]| {
                let n = count.fetch_add(1, Ordering::SeqCst).to_be_bytes();
                for (byte, n) in bytes.iter_mut().zip(n.iter().cycle()) {
                    *byte = *n;
                }
            }),
            process: [9; 16],
            identity: Identity::new(DevSignIn),
            server: "Billing".into(),
            prefix: "/ui".into(),
            mount: "/ui".into(),
            secure: false,
            hosts: Hosts::loopback(),
            looks: Arc::default(),
            rates: Arc::new(Rates::new(&Limits::default(), Proxies::default())),
            pages: {
                let pages = Pages::default();
                assert_eq!(pages.add(BillingKey::declaration()), Ok(()));
                Arc::new(pages)
            },
            credentials: 200,
            verifiers: Arc::default(),
        };
        change(&mut web);
        let web = Arc::new(web);
        Self {
            router: routes(Arc::clone(&web)),
            web,
            clock,
        }
    }

    fn now(&self) -> UnixTime {
        (self.web.clock)()
    }

    fn wait(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap();
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    /// Opens the billing page for somebody who uses `DevUsers`.
    async fn open(&self, subject: &str) -> TicketId {
        let form = PageForm {
            message: "Please provide your API key to continue.",
            tool: "Subscribe",
            asker: "",
            client: "an app",
            keep: Keep::UntilRemoved,
            table: &BILLING,
        };
        self.open_form(subject, &form).await
    }

    async fn open_form(&self, subject: &str, form: &PageForm<'_>) -> TicketId {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let n = COUNT.fetch_add(1, Ordering::SeqCst);
        let mut id = [0xa5; 16];
        id[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        let ticket = Ticket {
            id: TicketId(id),
            owner: owner(subject),
            page: "set_api_key".into(),
            form: form.encode(),
            credential: "billing_key".into(),
            name: String::new(),
            created: self.now(),
            expires: self.now().after(Duration::from_secs(3600)),
            status: TicketStatus::Open,
        };
        let opened = self.web.store.open_ticket(ticket, 100, self.now()).await;
        assert_eq!(opened.unwrap(), Opened::Yes);
        TicketId(id)
    }

    async fn status(&self, id: TicketId) -> TicketStatus {
        let ticket = self.web.store.ticket(id, self.now()).await.unwrap();
        ticket.unwrap().status
    }

    /// What is stored for somebody, decrypted.
    async fn stored(&self, subject: &str) -> Option<Zeroizing<Vec<u8>>> {
        let key = RowKey {
            owner: owner(subject),
            credential: "billing_key".into(),
            name: String::new(),
        };
        let row = self.web.store.row(&key, self.now()).await.unwrap()?;
        let context = row_context(&key, Keep::UntilRemoved, &self.web.process);
        Some(self.web.keys.open_row(&context, &row.sealed).unwrap())
    }

    fn browser(&self) -> Browser<'_> {
        Browser {
            site: self,
            cookie: None,
            host: HOST,
        }
    }

    async fn signed_in(&self, name: &str) -> Browser<'_> {
        let mut browser = self.browser();
        browser.sign_in(name).await;
        browser
    }
}

fn owner(subject: &str) -> Owner {
    Owner {
        tenant: String::new(),
        issuer: "dev".into(),
        subject: subject.into(),
    }
}

fn path(id: TicketId) -> String {
    link("/ui", "set_api_key", &id)
}

/// A browser with one cookie jar.
struct Browser<'a> {
    site: &'a Site,
    cookie: Option<String>,
    host: &'static str,
}

impl Browser<'_> {
    async fn sign_in(&mut self, name: &str) {
        let answer = self.post("/ui/sign-in", &[("name", name)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        let set = answer.header("set-cookie");
        self.cookie = Some(set.split(';').next().unwrap().to_owned());
    }

    fn request(&self, method: &str, path: &str) -> http::request::Builder {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", self.host);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", format!("other=1; {cookie}; more=2"));
        }
        request
    }

    /// What a browser sends when a form of ours is sent off.
    fn form(&self, path: &str) -> http::request::Builder {
        self.request("POST", path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path), String::new()).await
    }

    async fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Answer {
        self.send(self.form(path), encode(pairs)).await
    }

    /// Opens the page and gives the token in it.
    async fn token(&self, id: TicketId) -> String {
        let answer = self.get(&path(id)).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        answer.token("answers")
    }

    async fn send(&self, request: http::request::Builder, body: impl Into<Body>) -> Answer {
        let request = request.body(body.into()).unwrap();
        let response = self.site.router.clone().call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        };
        answer.check_headers(self.site.web.secure);
        answer
    }
}

fn encode(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }

    /// Every answer whatever has these.
    fn check_headers(&self, secure: bool) {
        let expected = [
            (
                "content-security-policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            ),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            (
                "strict-transport-security",
                if secure { "max-age=31536000" } else { "" },
            ),
        ];
        for (name, value) in expected {
            assert_eq!(self.header(name), value, "{name}");
        }
        // The answer to HEAD has the type of a page and no text.
        if self.header("content-type").starts_with("text/html") && !self.text.is_empty() {
            let script = "<script src=\"/ui/reveal.js\" defer></script>";
            let rest = self.text.replacen(script, "", 1);
            for bad in [
                "<script", "<img", "style=\"", " onclick", " onload", "src=\"",
            ] {
                assert!(!rest.contains(bad), "{bad} in {rest}");
            }
            assert!(self.text.starts_with("<!doctype html>\n<html lang=\"en\">"));
            assert_eq!(self.text.matches("<link ").count(), 1);
            assert!(
                self.text
                    .contains("<link rel=\"stylesheet\" href=\"/ui/style.css\">")
            );
        }
    }

    /// The token in the form with that id, or the first one in the page.
    fn token(&self, form: &str) -> String {
        let start = self.text.find(&format!("id=\"{form}\"")).unwrap_or(0);
        let rest = &self.text[start..];
        let rest = rest.split_once("name=\":token\" value=\"").unwrap().1;
        rest.split_once('"').unwrap().0.to_owned()
    }
}
