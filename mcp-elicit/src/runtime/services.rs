//! What every run of one server shares: keys, store, time, limits. Immutable after start.

use std::sync::Arc;

use tokio::sync::watch;

use super::ambient::Ambient;
use super::places::Places;
use super::topics::Topics;
use super::under_way::UnderWay;
use crate::limits::Limits;
use crate::observe::audit::Audit;
use crate::seal::Keys;
use crate::store::{Owner, Store};
use crate::web::Pages;

#[derive(Debug)]
pub(crate) struct Services {
    /// The server's name, as its pages show it.
    pub(crate) name: String,
    pub(crate) keys: Arc<Keys>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) ambient: Ambient,
    pub(crate) limits: Limits,
    /// The page types that are known.
    pub(crate) pages_known: Arc<Pages>,
    /// Whether anybody can say who is at a browser.
    pub(crate) has_browser: bool,
    /// Random, names this process: credentials that are kept for one process are bound to it.
    pub(crate) process: [u8; 16],
    /// Path of the pages below the base URL, such as `/ui`.
    pub(crate) pages: String,
    /// The retries that are held.
    pub(crate) holds: Places<Owner>,
    /// Who listens for changes.
    pub(crate) topics: Topics,
    /// Turns true when the server shuts down: held retries are then answered at once.
    pub(crate) closing: watch::Sender<bool>,
    /// Where records of what was done with credentials go.
    pub(crate) audit: Audit,
    /// What a shutdown waits for.
    pub(crate) under_way: UnderWay,
}
