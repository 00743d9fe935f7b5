//! A browser of one person: cookies, redirects within the origin, forms.
//!
//! Uses `http` and `form`. It runs no script, and so a page that needs one fails here.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::form::{Form, forms};
use super::need;
use crate::http::{self, Answer, Request};
use crate::place::Tried;

/// One person's browser.
#[derive(Debug)]
pub(crate) struct Browser {
    address: SocketAddr,
    cookies: BTreeMap<String, String>,
}

/// A page that was shown, and where it was.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) answer: Answer,
}

impl Page {
    /// The first form that a person could fill a control of this name in.
    pub(crate) fn form(&self, control: &str) -> Tried<Form> {
        let found = forms(&self.answer.body)
            .into_iter()
            .find(|form| form.asks(control));
        found.ok_or_else(|| {
            format!(
                "{}: HTTP {}, no form asks for `{control}`",
                self.path, self.answer.status
            )
        })
    }
}

impl Browser {
    /// A browser without cookies.
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            cookies: BTreeMap::new(),
        }
    }

    /// Opens an address of the server, follows redirects.
    pub(crate) fn open(&mut self, url: &str) -> Tried<Page> {
        let path = self.path(url, "/")?;
        let answer = self.get(&path)?;
        self.follow(path, answer)
    }

    /// Opens an address and signs in as `user` on the way.
    pub(crate) fn open_as(&mut self, user: &str, url: &str) -> Tried<Page> {
        let page = self.open(url)?;
        need(page.path.starts_with("/ui/sign-in"), || {
            format!(
                "a browser that is not signed in sees {} with HTTP {}",
                page.path, page.answer.status
            )
        })?;
        let form = forms(&page.answer.body)
            .into_iter()
            .find(|form| form.controls.iter().any(|one| one.kind == "text"));
        let form = form.ok_or("the sign-in page has no form with a text field")?;
        let name = form
            .controls
            .iter()
            .find(|one| one.kind == "text")
            .map(|one| one.name.clone())
            .unwrap_or_default();
        self.submit(&page.path, &form, &[(&name, user)])
    }

    /// Sends a form with the given controls filled in, its hidden ones as they are, and no button but one that is given.
    pub(crate) fn submit(&mut self, at: &str, form: &Form, filled: &[(&str, &str)]) -> Tried<Page> {
        need(form.method == "post", || {
            format!("{at}: the form is sent by `{}`", form.method)
        })?;
        let (path, answer) = self.send(at, form, filled, "same-origin")?;
        self.follow(path, answer)
    }

    /// As `submit`, but the request says where it came from, and a redirect is not followed.
    pub(crate) fn send(
        &mut self,
        at: &str,
        form: &Form,
        filled: &[(&str, &str)],
        site: &str,
    ) -> Tried<(String, Answer)> {
        let hidden = form
            .controls
            .iter()
            .filter(|one| one.is_hidden())
            .map(|one| (one.name.as_str(), one.value.as_str()));
        let all = hidden.chain(filled.iter().copied());
        let body = all
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect::<Vec<_>>()
            .join("&");
        let action = if form.action.is_empty() {
            at
        } else {
            &form.action
        };
        let path = self.path(action, at)?;
        let own = format!("http://{}", self.address);
        let origin = if site == "same-origin" {
            own.as_str()
        } else {
            "http://other.example"
        };
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Origin", origin),
            ("Sec-Fetch-Site", site),
        ];
        let answer = self.request("POST", &path, &headers, body.as_bytes())?;
        Ok((path, answer))
    }

    fn get(&mut self, path: &str) -> Tried<Answer> {
        self.request(
            "GET",
            path,
            &[("Sec-Fetch-Site", "none"), ("Accept", "text/html")],
            b"",
        )
    }

    fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Tried<Answer> {
        let cookies = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join("; ");
        let mut headers = headers.to_vec();
        if !cookies.is_empty() {
            headers.push(("Cookie", &cookies));
        }
        let answer = http::send(
            self.address,
            &Request {
                method,
                target: path,
                headers,
                body,
            },
        )?;
        for cookie in answer.all("set-cookie") {
            let pair = cookie.split(';').next().unwrap_or_default();
            if let Some((name, value)) = pair.split_once('=') {
                self.cookies
                    .insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        Ok(answer)
    }

    fn follow(&mut self, mut path: String, mut answer: Answer) -> Tried<Page> {
        for _ in 0..5 {
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(Page { path, answer });
            }
            let location = answer
                .header("location")
                .ok_or("a redirect without a location")?
                .to_owned();
            path = self.path(&location, &path)?;
            answer = self.get(&path)?;
        }
        Err(format!("redirected without end at {path}"))
    }

    /// The path of a reference found at `base`; it may not leave the server.
    fn path(&self, reference: &str, base: &str) -> Tried<String> {
        let own = format!("http://{}", self.address);
        if let Some(path) = reference.strip_prefix(&own) {
            return Ok(path.to_owned());
        }
        need(
            !reference.contains("://") && !reference.starts_with("//"),
            || format!("{base} leads away, to {reference}"),
        )?;
        if reference.starts_with('/') {
            return Ok(reference.to_owned());
        }
        let base = base.split('?').next().unwrap_or(base);
        if reference.starts_with('?') {
            return Ok(format!("{base}{reference}"));
        }
        let mut folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut rest = reference;
        while let Some(up) = rest.strip_prefix("../") {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            rest = up;
        }
        Ok(format!(
            "{folder}/{}",
            rest.strip_prefix("./").unwrap_or(rest)
        ))
    }
}

/// Form encoding, escaping more than it must.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        b' ' => "+".to_owned(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::{Browser, encoded};

    #[test]
    fn references_stay_at_home() {
        let browser = Browser::new(([127, 0, 0, 1], 80).into());
        let path = |reference: &str| browser.path(reference, "/a/ui/key/t?x=1");
        assert_eq!(path("http://127.0.0.1:80/x").unwrap(), "/x");
        assert_eq!(path("/x").unwrap(), "/x");
        assert_eq!(path("../sign-in?n=1").unwrap(), "/a/ui/sign-in?n=1");
        assert_eq!(path("y").unwrap(), "/a/ui/key/y");
        assert_eq!(path("?y").unwrap(), "/a/ui/key/t?y");
        assert!(path("http://127.0.0.1:81/x").is_err() && path("//else/x").is_err());
    }

    #[test]
    fn forms_are_encoded() {
        assert_eq!(encoded("a b&é"), "a+b%26%C3%A9");
    }
}
