//! The server: what an author registers, the checks at start, and what answers a message.

mod about;
mod absent;
pub(crate) mod app;
pub(crate) mod arguments;
mod call;
mod common;
pub(crate) mod completion;
mod data;
mod decimal;
pub(crate) mod dispatch;
mod explain;
mod handle;
mod listen;
mod listing;
mod live;
pub(crate) mod mirror;
pub(crate) mod prompt;
pub(crate) mod raw;
pub(crate) mod refusal;
pub(crate) mod register;
mod registry;
#[cfg(feature = "testing")]
mod rehearsal;
mod repeated;
pub(crate) mod reply;
pub(crate) mod resource;
pub(crate) mod rewrap;
pub(crate) mod schema;
pub(crate) mod serve;
mod settings;
mod template;
mod tidy;
pub(crate) mod tool;
#[cfg(unix)]
mod unix;
mod visible;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use self::app::{App, Inner};
use self::live::Live;
use self::registry::Registry;
use self::settings::BaseUrl;
use self::tool::{IntoTools, Toolset};
use crate::auth::peer::Proxies;
use crate::auth::{self, Auth, Authenticator, Principal};
use crate::declare::Elicit;
use crate::declare::invalid::Invalid;
use crate::http::origin::Origins;
use crate::limits::Limits;
use crate::observe::audit::{Audit, AuditEvent};
use crate::rate::Rate;
use crate::runtime::ambient::Ambient;
use crate::runtime::places::Places;
use crate::runtime::services::Services;
use crate::runtime::topics::Topics;
use crate::runtime::under_way::UnderWay;
use crate::seal::{Keyring, Keys};
use crate::start_error::StartError;
use crate::store::Store;
use crate::web::looks::{Brand, Looks, PageRenderer};
use crate::web::{
    BrowserIdentity, DevSignIn, Identity, OwnPages, Pages, Rates, Verifier, Verifiers, Web,
};
use crate::wire::icon::Icon;

/// A server under construction.
///
/// Setters never fail; [`build`](Self::build) reports every mistake at once.
///
/// ```no_run
/// use mcp_elicit::prelude::*;
/// use mcp_elicit::auth::DevUsers;
///
/// /// Says hello.
/// #[tool]
/// async fn hello(/** Whom to greet */ name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # async fn run() -> mcp_elicit::Result<()> {
/// Server::new("hello", "1.0.0").tools(toolset![hello]).auth(DevUsers).serve("127.0.0.1:3000").await
/// # }
/// ```
#[must_use = "a server does nothing until it serves"]
pub struct Server {
    identity: about::Identity,
    shown: about::Shown,
    tools: Toolset,
    auth: Option<Auth>,
    browser: Option<Identity>,
    store: Option<Arc<dyn Store>>,
    keyring: Option<Keyring>,
    data: Option<PathBuf>,
    base_url: Option<String>,
    hosts: Vec<String>,
    origins: Vec<String>,
    unable: Vec<String>,
    proxies: Vec<String>,
    path: String,
    limits: Limits,
    audit: Audit,
    ambient: Ambient,
    verifiers: Vec<Verifier>,
    looks: Looks,
}

impl Server {
    /// A server as clients will see it, such as `Server::new("billing", env!("CARGO_PKG_VERSION"))`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            identity: about::Identity {
                name: name.into(),
                version: version.into(),
                ..about::Identity::default()
            },
            shown: about::Shown::default(),
            tools: Toolset::default(),
            auth: None,
            browser: None,
            store: None,
            keyring: None,
            data: None,
            base_url: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            unable: Vec::new(),
            proxies: Vec::new(),
            path: "/mcp".into(),
            limits: Limits::default(),
            audit: Audit::default(),
            ambient: Ambient::system(),
            verifiers: Vec::new(),
            looks: Looks::default(),
        }
    }

    /// The name that people see, also on pages.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.identity.title = Some(title.into());
        self
    }

    /// What the server is for, for people. What a model should know is
    /// [`instructions`](Self::instructions).
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.identity.description = Some(text.into());
        self
    }

    /// Where people read more about it, an `https:` or `http:` URL.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.identity.website = Some(url.into());
        self
    }

    /// Adds a picture that a client may show beside the name; an [`Icon`](crate::Icon), or its URL.
    pub fn icon(mut self, icon: impl Into<Icon>) -> Self {
        self.identity.icons.push(icon.into());
        self
    }

    /// Says that the server supports an extension of the protocol, such as
    /// `io.modelcontextprotocol/ui`, with its settings, which may be `json!({})`.
    pub fn extension(mut self, id: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.shown.extensions.insert(id.into(), settings.into());
        self
    }

    /// Says that the server has a capability that is no part of the protocol, with its settings.
    pub fn experimental(mut self, name: impl Into<String>, settings: impl Into<Value>) -> Self {
        self.shown.experimental.insert(name.into(), settings.into());
        self
    }

    /// How long a client may keep the lists and `server/discover`. Default 5 minutes. It need not wait
    /// that long where it listens for changes; zero has it ask each time.
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.shown.list_ttl = resource::millis(ttl);
        self
    }

    /// How a model should use the server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.shown.instructions = Some(text.into());
        self
    }

    /// Adds tools, prompts and resources: a value with `#[tools]`, or `toolset![..]` for free
    /// functions. They are listed in the order they are added.
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.add(tools);
        self
    }

    /// How to find out who makes a request: [`DevUsers`](crate::auth::DevUsers) in development,
    /// your own [`Authenticator`], or [`Anonymous`](crate::auth::Anonymous) said out loud.
    pub fn auth(mut self, authenticator: impl Authenticator) -> Self {
        self.auth = Some(Auth::new(authenticator));
        self
    }

    /// How to find out who is at the browser that opens a page. With `DevUsers` it is
    /// [`DevSignIn`] unless you say otherwise.
    pub fn browser_identity(mut self, identity: impl BrowserIdentity) -> Self {
        self.browser = Some(Identity::new(identity));
        self
    }

    /// Checks a credential when its page is sent, before anything is stored: whether the provider
    /// knows the key, for instance. What is wrong is shown on the page beside the field, and the
    /// user can mend it there. A check that panics, or takes longer than the limit
    /// [`verify`](Limits::verify), is "could not be checked, please try again".
    ///
    /// It is made where the page is sent, once for each time that it is sent, by the process that
    /// takes it. The text of an error says what is wrong, not what was typed: one that quotes the
    /// secret is replaced.
    ///
    /// ```no_run
    /// use mcp_elicit::{ExposeSecret, prelude::*};
    ///
    /// /// Your account at the payment provider.
    /// #[derive(Elicit)]
    /// #[elicit(url = "/ui/set_api_key")]
    /// struct BillingKey {
    ///     #[secret]
    ///     api_key: SecretString,
    /// }
    ///
    /// # async fn is_known(_key: &str) -> bool { true }
    /// # fn server(server: Server) -> Server {
    /// server.verify::<BillingKey>(async |value, _principal| {
    ///     match is_known(value.api_key.expose_secret()).await {
    ///         true => Ok(()),
    ///         false => Err(Invalid::field("api_key", "is not known to the provider")),
    ///     }
    /// })
    /// # }
    /// ```
    ///
    /// A `T` without a page, and a second check of one type, are mistakes that
    /// [`build`](Self::build) reports.
    pub fn verify<T: Elicit>(
        mut self,
        check: impl AsyncFn(&T, &Principal) -> Result<(), Invalid> + Send + Sync + 'static,
    ) -> Self {
        self.verifiers.push(Verifier::new(check));
        self
    }

    /// Where to keep what must outlive a request, in place of the data directory.
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// The secrets under which states, cookies and vault rows are sealed, in place of the key file
    /// of the data directory. All processes that serve the same clients need the same ring.
    pub fn keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = Some(keyring);
        self
    }

    /// The data directory. Default: the environment variable `MCP_ELICIT_DATA`, else
    /// `.mcp-elicit` in the current directory; for [`OsUser`](crate::auth::OsUser), and so over stdio,
    /// `mcp-elicit/` and the server's name in the user's own data directory.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data = Some(path.into());
        self
    }

    /// The URL under which browsers reach this server, such as `https://mcp.example.com`. Needed
    /// wherever it is not used on this machine alone; it must be https then. Links to pages begin
    /// with it, and its host is the one that requests must name. It may have a path, such as
    /// `https://example.com/billing`: endpoint and pages are then reached below it, whether the proxy
    /// passes the path on or takes it away.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// One more host that requests may name, with its port unless any will do. As soon as a host
    /// is set, here or by [`base_url`](Self::base_url), the names of this machine are not taken
    /// any more unless they are set too.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// An origin besides the server's own whose pages may call it, such as
    /// `http://localhost:6274`.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// A client that is not asked, whatever it declares, by the name that it gives itself: for one that declares
    /// questions and never shows them, so that its users wait in vain. It is taken for a client that has not
    /// declared them. May be said more than once. A name is easily changed, so this protects nobody
    /// from a client; it spares its users.
    pub fn cannot_ask(mut self, client: impl Into<String>) -> Self {
        self.unable.push(client.into());
        self
    }

    /// A proxy before this server, by its address or network, such as `10.0.0.0/8`; may be said
    /// more than once. It is believed what it says in `X-Forwarded-For`, and that decides one thing: whose
    /// requests the limits by address count. Name only proxies that write that header themselves or
    /// add to it. Without this, and of anybody else, all that was forwarded is ignored; host and scheme
    /// are always those of [`base_url`](Self::base_url), whatever `Forwarded`, `X-Forwarded-Host` or
    /// `X-Forwarded-Proto` say.
    pub fn trust_forwarded_from(mut self, proxy: impl Into<String>) -> Self {
        self.proxies.push(proxy.into());
        self
    }

    /// Path of the MCP endpoint. Default `/mcp`.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Name, logo and colours of the pages.
    pub fn brand(mut self, brand: Brand) -> Self {
        self.looks.brand = brand;
        self
    }

    /// Your own HTML for the pages, for those whom [`brand`](Self::brand) is not enough.
    pub fn page_renderer(mut self, renderer: impl PageRenderer) -> Self {
        self.looks.renderer = Some(Box::new(renderer));
        self
    }

    /// Sizes, times and counts, see [`Limits`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What a test has in place of what the server was not given. Its store, where there is one,
    /// comes before the server's own.
    #[cfg(feature = "testing")]
    pub(crate) fn for_test(
        mut self,
        store: Option<Arc<dyn Store>>,
        keys: Keyring,
        clock: crate::runtime::ambient::Clock,
    ) -> Self {
        let store = store.or(self.store);
        self.store = Some(store.unwrap_or_else(|| Arc::new(crate::store::MemoryStore::new())));
        self.keyring = self.keyring.or(Some(keys));
        self.auth = self.auth.or(Some(Auth::Dev));
        self.limits = self.limits.hold(std::time::Duration::ZERO);
        self.with_clock(clock)
    }

    /// Hands every [`AuditEvent`] to `sink`: who was asked for a credential, opened its page, stored,
    /// used or removed it, and who came with somebody else's link. The last function given counts.
    ///
    /// It is called while the request waits, also from several threads at once, so it must not
    /// block: put the record into a bounded channel with `try_send` and write it elsewhere. A panic
    /// in it is caught, and the record is lost. What it is called for has been done already; it
    /// cannot forbid it.
    pub fn audit(mut self, sink: impl Fn(&AuditEvent) + Send + Sync + 'static) -> Self {
        self.audit = Audit::new(sink);
        self
    }

    /// The server for whoever runs this process: what is for HTTP does not count.
    #[cfg(feature = "stdio")]
    pub(crate) fn for_os_user(mut self) -> Self {
        self.auth = Some(Auth::Os);
        (self.browser, self.base_url) = (None, None);
        self
    }

    /// Takes the time from `now`.
    #[cfg(feature = "testing")]
    pub(crate) fn with_clock(mut self, now: crate::runtime::ambient::Clock) -> Self {
        self.ambient = self.ambient.with_clock(now);
        self
    }

    /// Checks everything and opens the store.
    ///
    /// # Errors
    /// All mistakes at once: tools with one name, an unusable base URL, path or data directory, no
    /// `auth`, pages that nobody could sign in to, checks of what has no page.
    pub async fn build(self) -> Result<App, StartError> {
        let mut problems = Vec::new();
        let base = BaseUrl::check(self.base_url.as_deref(), &mut problems);
        settings::check_path(&self.path, &base, &mut problems);
        let proxies = Proxies::check(&self.proxies, &mut problems);
        self.looks.brand.check(&mut problems);
        settings::check_identity(&self.identity.name, &self.identity.version, &mut problems);
        settings::check_names(&self.hosts, &self.origins, &mut problems);
        let auth = self.auth.unwrap_or_else(|| {
            problems.push(
                "nobody is told how to find out who makes a request; give `.auth(DevUsers)` in development, \
                 `.auth(..)` with an `Authenticator` of your own, or `.auth(Anonymous)`"
                    .into(),
            );
            Auth::Anonymous
        });
        settings::check_auth(&auth, &base, &mut problems);
        self.identity.check(&mut problems);
        self.shown.check(&mut problems);
        problems.extend(self.tools.faults());
        let mut shown = self.shown;
        shown.page = self.limits.page;
        let registry = Registry::new(self.tools, shown, &mut problems);
        settings::check_verifiers(&self.verifiers, &mut problems);
        let pages = settings::pages(&registry, &self.verifiers);
        let identity = settings::browser(self.browser, &auth, &pages, &mut problems);
        settings::check_pages(&pages, &mut problems);
        let users = matches!(auth, Auth::Os).then_some(&*self.identity.name);
        let (store, keyring) = data::open(
            self.store,
            self.keyring,
            (self.data, users),
            base.is_public(),
            &mut problems,
        )
        .await;
        let (Some(store), Some(keyring), true) = (store, keyring, problems.is_empty()) else {
            return Err(StartError::new(problems));
        };
        crate::observe::meter::describe();
        let who = self.identity;
        let title = who.title.clone().unwrap_or_else(|| who.name.clone());
        let pages_known = Pages::default();
        for (declaration, _) in pages {
            // Two types with one page were found above.
            // Each is known to be the only one of its page and key.
            drop(pages_known.add(declaration));
        }
        let services = Arc::new(Services {
            keys: Arc::new(Keys::derive(&keyring, &who.name)),
            name: title,
            store,
            process: self.ambient.random(),
            ambient: self.ambient,
            holds: Places::new(self.limits.held),
            topics: Topics::new(self.limits.listeners),
            limits: self.limits,
            pages: PAGES.to_owned(),
            pages_known: Arc::new(pages_known),
            has_browser: identity.is_some(),
            closing: watch::Sender::new(false),
            audit: self.audit,
            under_way: UnderWay::default(),
        });
        let hosts: Vec<String> = base.host().into_iter().chain(self.hosts).collect();
        let rates = Rates::new(&services.limits, proxies);
        let web = web(
            &services,
            identity,
            self.verifiers,
            &base,
            &hosts,
            (self.looks, rates),
        );
        Ok(App(Arc::new(Inner {
            meta: who.meta(),
            whole_meta: who.whole_meta(),
            calls: Rate::per_minute(services.limits.call_rate),
            anonymous: Rate::per_minute(services.limits.anonymous_rate),
            services,
            registry: Live::new(registry),
            auth,
            origins: Origins {
                hosts,
                origins: self.origins,
                secure: base.is_secure(),
            },
            own_pages: Arc::new(OwnPages::new(&web, auth::os::own())),
            unable: self.unable,
            web,
            paths: settings::paths(self.path, &base),
            base: base.into_base(),
        })))
    }

    /// Builds the server and serves it at `address`, such as `127.0.0.1:3000`, until the process is
    /// told to stop (Ctrl-C, SIGTERM).
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and an address that cannot be listened at.
    pub async fn serve(self, address: &str) -> Result<(), StartError> {
        self.build().await?.serve(address).await
    }
}

/// Path of the pages.
const PAGES: &str = "/ui";

fn web(
    services: &Arc<Services>,
    identity: Option<Identity>,
    verifiers: Vec<Verifier>,
    base: &BaseUrl,
    hosts: &[String],
    (looks, rates): (Looks, Rates),
) -> Arc<Web> {
    Arc::new(Web {
        keys: Arc::clone(&services.keys),
        store: Arc::clone(&services.store),
        clock: services.ambient.clock(),
        random: services.ambient.randomness(),
        identity: identity.unwrap_or_else(|| Identity::new(DevSignIn)),
        server: looks
            .brand
            .given_name()
            .unwrap_or(&services.name)
            .to_owned(),
        looks: Arc::new(looks),
        rates: Arc::new(rates),
        prefix: format!("{}{PAGES}", base.path()),
        mount: PAGES.to_owned(),
        secure: base.is_secure(),
        hosts: if hosts.is_empty() {
            crate::web::Hosts::loopback()
        } else {
            crate::web::Hosts::new(hosts.iter().cloned())
        },
        pages: Arc::clone(&services.pages_known),
        audit: services.audit.clone(),
        process: services.process,
        credentials: services.limits.credentials,
        verifiers: Arc::new(Verifiers::new(
            verifiers,
            services.limits.verify,
            services.limits.verifying,
        )),
    })
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.identity.name)
            .field("version", &self.identity.version)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
