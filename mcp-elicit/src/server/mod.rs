//! The server: what an author registers, the checks at start, and what answers a message.

mod absent;
pub(crate) mod app;
pub(crate) mod arguments;
mod call;
mod data;
pub(crate) mod dispatch;
mod explain;
mod leak;
pub(crate) mod mirror;
pub(crate) mod refusal;
mod registry;
#[cfg(feature = "testing")]
mod rehearsal;
pub(crate) mod reply;
pub(crate) mod schema;
pub(crate) mod serve;
mod settings;
mod tidy;
pub(crate) mod tool;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use self::app::{App, Inner};
use self::registry::Registry;
use self::settings::BaseUrl;
use self::tool::{IntoTools, Tool};
use crate::auth::{Auth, Authenticator};
use crate::http::origin::Origins;
use crate::limits::Limits;
use crate::runtime::ambient::Ambient;
use crate::runtime::services::Services;
use crate::runtime::under_way::UnderWay;
use crate::seal::{Keyring, Keys};
use crate::start_error::StartError;
use crate::store::Store;
use crate::web::{BrowserIdentity, DevSignIn, Identity, Pages, Web};

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
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    tools: Vec<Tool>,
    auth: Option<Auth>,
    browser: Option<Identity>,
    store: Option<Arc<dyn Store>>,
    keyring: Option<Keyring>,
    data: Option<PathBuf>,
    base_url: Option<String>,
    hosts: Vec<String>,
    origins: Vec<String>,
    path: String,
    limits: Limits,
    ambient: Ambient,
}

impl Server {
    /// A server as clients will see it, such as `Server::new("billing", env!("CARGO_PKG_VERSION"))`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            instructions: None,
            tools: Vec::new(),
            auth: None,
            browser: None,
            store: None,
            keyring: None,
            data: None,
            base_url: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            path: "/mcp".into(),
            limits: Limits::default(),
            ambient: Ambient::system(),
        }
    }

    /// The name that people see, also on pages.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// How a model should use the server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Adds tools: a value with `#[tools]`, or `toolset![..]` for free functions. They are listed in
    /// the order they are added.
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.extend(tools.into_tools());
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
    /// `.mcp-elicit` in the current directory.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data = Some(path.into());
        self
    }

    /// The URL under which browsers reach this server, such as `https://mcp.example.com`. Needed
    /// wherever it is not used on this machine alone; it must be https then. Links to pages begin
    /// with it, and its host is the one that requests must name. The pages are at `/ui` of that
    /// host, so a base URL with a path is refused at start.
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

    /// Path of the MCP endpoint. Default `/mcp`.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
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
        self.ambient = self.ambient.with_clock(clock);
        self
    }

    /// Checks everything and opens the store.
    ///
    /// # Errors
    /// All mistakes at once: tools with one name, an unusable base URL, path or data directory, no
    /// `auth`, pages that nobody could sign in to.
    pub async fn build(self) -> Result<App, StartError> {
        let mut problems = Vec::new();
        let base = BaseUrl::check(self.base_url.as_deref(), &mut problems);
        settings::check_path(&self.path, &mut problems);
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
        problems.extend(self.tools.iter().flat_map(Tool::faults));
        let registry = Registry::new(self.tools, &mut problems);
        let identity = settings::browser(self.browser, &auth, &registry, &mut problems);
        settings::check_pages(&registry, &mut problems);
        let (store, keyring) = data::open(
            self.store,
            self.keyring,
            self.data,
            base.is_public(),
            &mut problems,
        )
        .await;
        let (Some(store), Some(keyring), true) = (store, keyring, problems.is_empty()) else {
            return Err(StartError::new(problems));
        };
        let title = self.title.unwrap_or_else(|| self.name.clone());
        let pages_known = Pages::default();
        for declaration in registry.tools().flat_map(|tool| &tool.asks) {
            // Two types with one page were found above.
            let _ = pages_known.add(declaration);
        }
        let services = Arc::new(Services {
            keys: Arc::new(Keys::derive(&keyring, &self.name)),
            name: title.clone(),
            store,
            process: self.ambient.random(),
            ambient: self.ambient,
            holds: Semaphore::new(self.limits.held.min(Semaphore::MAX_PERMITS)),
            limits: self.limits,
            pages: PAGES.to_owned(),
            pages_known: Arc::new(pages_known),
            has_browser: identity.is_some(),
            closing: watch::Sender::new(false),
            under_way: UnderWay::default(),
        });
        let hosts: Vec<String> = base.host().into_iter().chain(self.hosts).collect();
        let web = web(&services, identity, &base, &hosts);
        Ok(App(Arc::new(Inner {
            meta: settings::meta(&self.name, &self.version, Some(&title)),
            tools_list: format!(
                r#""complete","tools":[{}],"ttlMs":{LIST_TTL},"cacheScope":"public""#,
                registry.listing()
            ),
            discover: settings::discover(self.instructions.as_deref()),
            services,
            registry,
            auth,
            origins: Origins {
                hosts,
                origins: self.origins,
                secure: base.is_secure(),
            },
            web,
            path: self.path,
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

/// How long a client may keep the list of tools, in milliseconds: it changes only with a deploy.
const LIST_TTL: u32 = 300_000;

fn web(
    services: &Arc<Services>,
    identity: Option<Identity>,
    base: &BaseUrl,
    hosts: &[String],
) -> Arc<Web> {
    Arc::new(Web {
        keys: Arc::clone(&services.keys),
        store: Arc::clone(&services.store),
        clock: services.ambient.clock(),
        random: services.ambient.randomness(),
        identity: identity.unwrap_or_else(|| Identity::new(DevSignIn)),
        server: services.name.clone(),
        prefix: PAGES.to_owned(),
        secure: base.is_secure(),
        hosts: if hosts.is_empty() {
            crate::web::Hosts::loopback()
        } else {
            crate::web::Hosts::new(hosts.iter().cloned())
        },
        pages: Arc::clone(&services.pages_known),
        process: services.process,
    })
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
