//! A built server: everything a request needs, immutable.

use std::fmt;
use std::sync::Arc;

use super::live::Live;
use super::registry::Registry;
use crate::auth::Auth;
use crate::http::origin::Origins;
use crate::rate::Rate;
use crate::runtime::services::Services;
use crate::web::{OwnPages, Web};

/// A server that is ready to serve. Made by [`Server::build`](super::Server::build).
///
/// It is cheap to clone; all clones are one server.
#[derive(Clone)]
pub struct App(pub(crate) Arc<Inner>);

/// What all requests share.
pub(crate) struct Inner {
    pub(crate) services: Arc<Services>,
    pub(crate) registry: Live,
    pub(crate) auth: Auth,
    pub(crate) origins: Origins,
    /// Names of clients that are not asked, whatever they declare.
    pub(crate) unable: Vec<String>,
    pub(crate) web: Arc<Web>,
    /// For users of this machine who come by no address of it.
    pub(crate) own_pages: Arc<OwnPages>,
    /// How often each principal calls.
    pub(crate) calls: Rate,
    /// How often nobody in particular calls, by address.
    pub(crate) anonymous: Rate,
    /// Where links to pages begin; `None` where they follow the request's own loopback host.
    pub(crate) base: Option<Arc<str>>,
    /// Paths of the endpoint: `/mcp`, and `/billing/mcp` under a base URL with a path.
    pub(crate) paths: Vec<String>,
    /// `"_meta":{..}` of every result.
    pub(crate) meta: String,
    /// That of `server/discover`, which says more.
    pub(crate) whole_meta: String,
}

impl Inner {
    /// `"_meta":{..}` of a result.
    pub(crate) fn meta(&self, method: &str) -> &str {
        match method {
            "server/discover" => &self.whole_meta,
            _ => &self.meta,
        }
    }

    /// How large a reply to `method` will probably be, in bytes.
    pub(crate) fn room(&self, registry: &Registry, method: &str) -> usize {
        let envelope = 128 + self.meta(method).len();
        match method {
            "tools/list" => envelope + registry.lists.tools.room(),
            "server/discover" => envelope + registry.discover.len(),
            _ => 1536,
        }
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("name", &self.0.services.name)
            .field("auth", &self.0.auth)
            .field("paths", &self.0.paths)
            .finish_non_exhaustive()
    }
}
