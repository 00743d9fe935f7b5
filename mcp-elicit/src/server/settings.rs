//! The checks of a server's settings, at start and when something is registered later.

use std::sync::Arc;

use super::registry::Registry;
use crate::auth::Auth;
use crate::auth::local::is_loopback;
use crate::declare::{Declaration, Mode};
use crate::web::{DevSignIn, Identity, Pages, Verifier};

/// A base URL that was checked.
pub(super) struct BaseUrl(Option<Checked>);

struct Checked {
    url: String,
    authority: String,
    /// Such as `/billing`; empty at the root of the host.
    path: String,
    secure: bool,
    loopback: bool,
}

impl BaseUrl {
    pub(super) fn check(url: Option<&str>, problems: &mut Vec<String>) -> Self {
        let checked = url.map(|url| {
            checked(url).map_err(|why| problems.push(format!("the base URL `{url}` {why}")))
        });
        Self(checked.and_then(Result::ok))
    }

    /// Whether people reach the server from other machines.
    pub(super) fn is_public(&self) -> bool {
        self.0.as_ref().is_some_and(|c| !c.loopback)
    }

    pub(super) fn is_secure(&self) -> bool {
        self.0.as_ref().is_some_and(|c| c.secure)
    }

    /// The host that requests must name.
    pub(super) fn host(&self) -> Option<String> {
        self.0.as_ref().map(|c| c.authority.clone())
    }

    /// The path under which browsers reach the server, without a slash at its end.
    pub(super) fn path(&self) -> &str {
        self.0.as_ref().map_or("", |c| &c.path)
    }

    pub(super) fn into_base(self) -> Option<Arc<str>> {
        self.0.map(|c| c.url.into())
    }
}

fn checked(url: &str) -> Result<Checked, &'static str> {
    let uri: axum::http::Uri = url.parse().map_err(|_| "is not a URL")?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err("needs a scheme and a host, such as https://mcp.example.com");
    };
    let loopback = is_loopback(authority.host());
    let secure = scheme == "https";
    if !(secure || scheme == "http" && loopback) {
        return Err("must be https; http is for this machine alone");
    }
    if authority.as_str().contains('@') || uri.query().is_some() || url.contains('#') {
        return Err("must have neither a user, a query nor a fragment");
    }
    // Axum gives a URL without a path the path `/`.
    let path = uri.path().strip_suffix('/').unwrap_or(uri.path());
    if !(path.is_empty() || is_plain(path)) {
        return Err("has a path that is not plain; it must be such as `/billing`");
    }
    if !is_authority(authority.as_str()) {
        return Err("has a port that is none");
    }
    // A browser does not name the scheme's own port.
    let own_port = if secure { ":443" } else { ":80" };
    let named = authority.as_str();
    let named = named.strip_suffix(own_port).unwrap_or(named);
    Ok(Checked {
        url: format!("{scheme}://{named}{path}"),
        authority: named.to_owned(),
        path: path.to_owned(),
        secure,
        loopback,
    })
}

/// Whether a path is one that nobody along the way writes in another way.
fn is_plain(path: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    path.strip_prefix('/').is_some_and(|rest| {
        rest.split('/')
            .all(|part| !matches!(part, "" | "." | "..") && part.bytes().all(good))
    })
}

/// The endpoint and, under the base URL's path, the pages may not be in each other's way.
pub(super) fn check_path(path: &str, base: &BaseUrl, problems: &mut Vec<String>) {
    let pages = [
        super::PAGES.to_owned(),
        format!("{}{}", base.path(), super::PAGES),
    ];
    let is_pages = pages
        .iter()
        .any(|pages| path == pages || path.starts_with(&format!("{pages}/")));
    if !(path == "/" || is_plain(path)) || is_pages {
        problems.push(format!(
            "the endpoint `{path}` must be a plain path such as `/mcp`, outside of `{}`",
            super::PAGES
        ));
    }
}

/// Where the endpoint is: at its path, and below the base URL's path where that has one.
pub(super) fn paths(path: String, base: &BaseUrl) -> Vec<String> {
    let below = match base.path() {
        "" => None,
        base if path == "/" => Some(base.to_owned()),
        base => Some(format!("{base}{path}")),
    };
    std::iter::once(path).chain(below).collect()
}

/// Who is at a browser.
pub(super) fn browser(
    given: Option<Identity>,
    auth: &Auth,
    pages: &[PageType],
    problems: &mut Vec<String>,
) -> Option<Identity> {
    check_who_opens(auth, given.is_some(), pages, problems);
    match (auth, &given) {
        (Auth::Other(_), Some(given)) if given.is_by_name() => problems.push(
            "`DevSignIn` knows the names of `DevUsers` alone; with an `Authenticator` of your own give a \
             `BrowserIdentity` of your own"
                .into(),
        ),
        (Auth::Dev, None) => return Some(Identity::new(DevSignIn)),
        _ => {}
    }
    given
}

/// Whether anybody can open these pages.
pub(super) fn check_who_opens(
    auth: &Auth,
    has_browser: bool,
    pages: &[PageType],
    problems: &mut Vec<String>,
) {
    let Some((_, page)) = pages.first() else {
        return;
    };
    match auth {
        Auth::Anonymous => problems.push(format!(
            "nobody can be asked on the page `{page}` with `Anonymous`: a credential belongs to somebody; give an \
             `Authenticator`"
        )),
        Auth::Other(_) if !has_browser => problems.push(format!(
            "the page `{page}` needs to know who is at the browser; give `.browser_identity(..)`"
        )),
        _ => {}
    }
}

/// These refuse every request that was not made on this machine.
pub(super) fn check_auth(auth: &Auth, base: &BaseUrl, problems: &mut Vec<String>) {
    let name = match auth {
        Auth::Dev => "DevUsers",
        Auth::Os => "OsUser",
        Auth::Anonymous | Auth::Other(_) => return,
    };
    if base.is_public() {
        problems.push(format!(
            "`{name}` works on this machine alone; a public base URL needs an `Authenticator`"
        ));
    }
}

/// What clients show of a server.
pub(super) fn check_identity(name: &str, version: &str, problems: &mut Vec<String>) {
    for (what, text) in [("name", name), ("version", version)] {
        if text.trim().is_empty() {
            problems.push(format!(
                "the server's {what} is blank, and clients show it; give \
                 `Server::new(env!(\"CARGO_PKG_NAME\"), env!(\"CARGO_PKG_VERSION\"))`"
            ));
        }
    }
}

/// Hosts and origins as browsers and clients send them.
pub(super) fn check_names(hosts: &[String], origins: &[String], problems: &mut Vec<String>) {
    for host in hosts.iter().filter(|host| !is_authority(host)) {
        problems.push(format!(
            "the host `{host}` is not a host name, with or without a port, such as `mcp.example.com`"
        ));
    }
    for origin in origins {
        let authority = ["http://", "https://"]
            .iter()
            .find_map(|scheme| origin.strip_prefix(scheme));
        if !authority.is_some_and(is_authority) {
            problems.push(format!(
                "the origin `{origin}` is not a scheme and a host without a path, such as `http://localhost:6274`"
            ));
        }
    }
}

/// Whether a text is a host with or without a port.
fn is_authority(text: &str) -> bool {
    let parsed = text.parse::<axum::http::uri::Authority>();
    let has_port = parsed
        .as_ref()
        .is_ok_and(|a| a.as_str().len() > a.host().len());
    parsed.is_ok_and(|a| {
        !a.host().is_empty()
            && !text.contains(['@', '*', '/'])
            && (!has_port || a.port_u16().is_some())
    })
}

/// Two types with one page, or two pages with one key, would fill each other's vault rows.
pub(super) fn check_pages(all: &[PageType], problems: &mut Vec<String>) {
    for (i, (declaration, page)) in all.iter().enumerate() {
        let earlier = all
            .iter()
            .take(i)
            .filter(|(other, _)| !std::ptr::eq(*other, *declaration));
        for (other, other_page) in earlier {
            if page == other_page {
                problems.push(format!(
                    "two types have the page `/ui/{page}`; give one another `url`"
                ));
            } else if declaration.key() == other.key() {
                let key = declaration.key();
                problems.push(format!(
                    "two types with a page have the key `{key}`; give one another `key`"
                ));
            }
        }
    }
    problems.dedup();
}

/// A type with a page, and the page's name.
type PageType = (&'static Declaration, &'static str);

/// The types with a page that are said to be asked, or that are checked when their page is sent.
pub(super) fn pages(registry: &Registry, verifiers: &[Verifier]) -> Vec<PageType> {
    pages_of(
        registry
            .asks()
            .chain(verifiers.iter().map(Verifier::declaration)),
    )
}

/// Those of them that have a page.
pub(super) fn pages_of(all: impl Iterator<Item = &'static Declaration>) -> Vec<PageType> {
    all.filter_map(|d| match d.mode() {
        Mode::Page { name, .. } => Some((d, name)),
        _ => None,
    })
    .collect()
}

/// Pages that come while the server serves, against those that it knows.
pub(super) fn check_new_pages(new: &[PageType], known: &Pages, problems: &mut Vec<String>) {
    for (declaration, page) in new {
        let is_other = |it: Option<&'static Declaration>| {
            it.is_some_and(|other| !std::ptr::eq(other, *declaration))
        };
        if is_other(known.get(page)) {
            problems.push(format!(
                "another type has the page `/ui/{page}` already; give one another `url`"
            ));
        } else if is_other(known.of_key(declaration.key())) {
            let key = declaration.key();
            problems.push(format!(
                "another type with a page has the key `{key}` already; give one another `key`"
            ));
        }
    }
}

/// Only what is asked on a page is ever checked, and by one check.
pub(super) fn check_verifiers(verifiers: &[Verifier], problems: &mut Vec<String>) {
    let all = || verifiers.iter().map(Verifier::declaration);
    for (i, declaration) in all().enumerate() {
        let key = declaration.key();
        if !matches!(declaration.mode(), Mode::Page { .. }) {
            problems.push(format!(
                "`.verify` is given for `{key}`, which has no page; it checks what is asked on a page. For a form \
                 use `#[elicit(check = ..)]`"
            ));
        } else if all().take(i).any(|other| std::ptr::eq(other, declaration)) {
            problems.push(format!(
                "`.verify` is given twice for `{key}`; give one check that makes both"
            ));
        }
    }
}
