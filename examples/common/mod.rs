//! What all examples share: the port, and settings from the environment.
#![allow(dead_code, reason = "not every example needs all of it")]

use std::time::Duration;

use mcp_elicit::Limits;

/// The address to serve at: `PORT` of the environment, else 3000, on this machine alone.
pub fn address() -> String {
    let port = std::env::var("PORT")
        .ok()
        .and_then(|p| p.parse().ok())
        .unwrap_or(3000_u16);
    format!("127.0.0.1:{port}")
}

/// Whether the example was started with `--stdio`, by a client that talks to it over its standard
/// streams.
pub fn is_stdio() -> bool {
    std::env::args().any(|argument| argument == "--stdio")
}

/// The default limits. `MCP_ELICIT_HOLD_SECONDS` changes how long a retry waits for its page,
/// `MCP_ELICIT_LIFETIME_SECONDS` how long a page stays open.
pub fn limits() -> Limits {
    let seconds = |name| {
        let set = std::env::var(name).ok().and_then(|s| s.parse().ok());
        set.map(Duration::from_secs)
    };
    let mut limits = Limits::default();
    if let Some(hold) = seconds("MCP_ELICIT_HOLD_SECONDS") {
        limits = limits.hold(hold);
    }
    if let Some(lifetime) = seconds("MCP_ELICIT_LIFETIME_SECONDS") {
        limits = limits.lifetime(lifetime);
    }
    limits
}

/// Log lines on stderr; `RUST_LOG` chooses which.
pub fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
