//! One window of a real browser: what a person does in it, and what can be seen.
//!
//! Uses `driver`.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::debian::Programs;
use super::driver::Driver;
use crate::json::{Json, quoted};
use crate::place::Tried;

/// Keys as WebDriver writes them.
pub(super) const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
/// Control and A, and both let go: selects all that is in a field.
pub(super) const ALL: &str = "\u{e009}a\u{e000}";

/// How long a page may take to change.
const PATIENCE: Duration = Duration::from_secs(20);

/// Width and height of a usual window, and of a small phone's.
const USUAL: (u32, u32) = (1000, 800);
const NARROW: (u32, u32) = (320, 640);

/// The name of an element's reference in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How a page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Light,
    Dark,
    /// Light, and as narrow as any screen.
    Narrow,
}

impl Look {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Narrow => "narrow",
        }
    }
}

/// A browser with one profile of its own. Dropped, it is closed.
#[derive(Debug)]
pub(super) struct Window {
    driver: Driver,
}

impl Window {
    pub(super) fn open(programs: &Programs) -> Tried<Self> {
        Driver::start(programs).map(|driver| Self { driver })
    }

    /// Opens an address as if it were typed or clicked in another program.
    pub(super) fn visit(&self, url: &str) -> Tried<()> {
        self.driver
            .post("/url", &format!(r#"{{"url":{}}}"#, quoted(url)))
            .map(drop)
    }

    pub(super) fn back(&self) -> Tried<()> {
        self.driver.post("/back", "{}").map(drop)
    }

    pub(super) fn reload(&self) -> Tried<()> {
        self.driver.post("/refresh", "{}").map(drop)
    }

    /// Forgets who is signed in. The cookies of a port are those of every port.
    pub(super) fn forget(&self) -> Tried<()> {
        self.driver
            .devtools("Network.clearBrowserCookies", "{}")
            .map(drop)
    }

    pub(super) fn address(&self) -> Tried<String> {
        text_of(&self.driver.get("/url")?)
    }

    /// The text of the main heading.
    pub(super) fn heading(&self) -> Tried<String> {
        self.text("h1")
    }

    pub(super) fn text(&self, css: &str) -> Tried<String> {
        let element = self.find(css)?;
        text_of(&self.driver.get(&format!("/element/{element}/text"))?)
    }

    fn find(&self, css: &str) -> Tried<String> {
        let body = format!(r#"{{"using":"css selector","value":{}}}"#, quoted(css));
        let found = self
            .driver
            .post("/element", &body)
            .map_err(|fault| format!("{fault} (on {:?})", self.address()))?;
        text_of(found.get(ELEMENT).unwrap_or(&Json::Null))
    }

    pub(super) fn has(&self, css: &str) -> Tried<bool> {
        let count = self.script(&format!(
            "return document.querySelectorAll({}).length",
            quoted(css)
        ))?;
        Ok(count.integer().unwrap_or(0) > 0)
    }

    /// Clicks as a person does: it must be in view and not covered.
    pub(super) fn click(&self, css: &str) -> Tried<()> {
        let element = self.find(css)?;
        self.driver
            .post(&format!("/element/{element}/click"), "{}")
            .map(drop)
    }

    /// Clicks what leads to another page, and waits until that is there.
    pub(super) fn send(&self, css: &str) -> Tried<()> {
        self.leave(|| self.click(css))
    }

    /// Presses Enter where that leads to another page.
    pub(super) fn enter(&self) -> Tried<()> {
        self.leave(|| self.keys(ENTER))
    }

    fn leave(&self, act: impl FnOnce() -> Tried<()>) -> Tried<()> {
        self.script("window.left = true")?;
        act()?;
        let start = Instant::now();
        let there = "return window.left === undefined && document.readyState === 'complete'";
        // While one page makes way for the other there is none to be asked.
        while self.script(there) != Ok(Json::Bool(true)) {
            if start.elapsed() > PATIENCE {
                return Err(format!("nothing came after {}", self.address()?));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The address of what a frame of the page shows.
    pub(super) fn framed(&self, css: &str) -> Tried<String> {
        let element = self.find(css)?;
        let body = format!(r#"{{"id":{{"{ELEMENT}":{}}}}}"#, quoted(&element));
        self.driver.post("/frame", &body)?;
        let address = self.told("return location.href");
        self.driver.post("/frame", r#"{"id":null}"#)?;
        address
    }

    /// Types into a field, after what is in it.
    pub(super) fn fill(&self, css: &str, text: &str) -> Tried<()> {
        let element = self.find(css)?;
        self.keys_into(&element, text)
    }

    /// Empties a field.
    pub(super) fn clear(&self, css: &str) -> Tried<()> {
        let element = self.find(css)?;
        self.driver
            .post(&format!("/element/{element}/clear"), "{}")
            .map(drop)
    }

    /// Presses keys wherever the focus is.
    pub(super) fn keys(&self, text: &str) -> Tried<()> {
        let active = self.driver.get("/element/active")?;
        let element = text_of(active.get(ELEMENT).unwrap_or(&Json::Null))?;
        self.keys_into(&element, text)
    }

    fn keys_into(&self, element: &str, text: &str) -> Tried<()> {
        let body = format!(r#"{{"text":{}}}"#, quoted(text));
        self.driver
            .post(&format!("/element/{element}/value"), &body)
            .map(drop)
    }

    /// What a function body returns, run in the page by the driver, whatever the page's policy.
    pub(super) fn script(&self, body: &str) -> Tried<Json> {
        self.run("/execute/sync", body)
    }

    /// The same for one that calls its only argument when it is done.
    pub(super) fn script_later(&self, body: &str) -> Tried<Json> {
        self.run("/execute/async", body)
    }

    fn run(&self, how: &str, body: &str) -> Tried<Json> {
        let body = format!(r#"{{"script":{},"args":[]}}"#, quoted(body));
        self.driver.post(how, &body)
    }

    /// The text that a function body returns.
    pub(super) fn told(&self, body: &str) -> Tried<String> {
        text_of(&self.script(body)?)
    }

    /// Opens another tab and goes there; returns the one that was left.
    pub(super) fn tab(&self) -> Tried<String> {
        let old = text_of(&self.driver.get("/window")?)?;
        let new = self.driver.post("/window/new", r#"{"type":"tab"}"#)?;
        let new = text_of(new.get("handle").unwrap_or(&Json::Null))?;
        self.switch(&new)?;
        Ok(old)
    }

    pub(super) fn switch(&self, tab: &str) -> Tried<()> {
        self.driver
            .post("/window", &format!(r#"{{"handle":{}}}"#, quoted(tab)))
            .map(drop)
    }

    /// Closes the tab and goes to another.
    pub(super) fn close_tab(&self, then: &str) -> Tried<()> {
        self.driver.delete("/window")?;
        self.switch(then)
    }

    /// Whether pages may run their scripts.
    pub(super) fn scripts(&self, allowed: bool) -> Tried<()> {
        let parameters = format!(r#"{{"value":{}}}"#, !allowed);
        self.driver
            .devtools("Emulation.setScriptExecutionDisabled", &parameters)
            .map(drop)
    }

    pub(super) fn look(&self, look: Look) -> Tried<()> {
        let scheme = if look == Look::Dark { "dark" } else { "light" };
        let (width, height) = if look == Look::Narrow { NARROW } else { USUAL };
        self.driver.devtools(
            "Emulation.setEmulatedMedia",
            &format!(r#"{{"features":[{{"name":"prefers-color-scheme","value":"{scheme}"}}]}}"#),
        )?;
        self.driver
            .devtools(
                "Emulation.setDeviceMetricsOverride",
                &format!(
                    r#"{{"width":{width},"height":{height},"deviceScaleFactor":1,"mobile":false}}"#
                ),
            )
            .map(drop)
    }

    /// What the browser wrote to its console since it was last asked.
    pub(super) fn console(&self) -> Tried<Vec<String>> {
        let entries = self.driver.post("/se/log", r#"{"type":"browser"}"#)?;
        let text = |entry: &Json| entry.get("message").and_then(Json::text).map(str::to_owned);
        Ok(entries.list().iter().filter_map(text).collect())
    }

    /// A picture of the whole page.
    pub(super) fn picture(&self, path: &Path) -> Tried<()> {
        let size = self.script(
            "const e = document.documentElement; return [innerWidth, Math.max(e.scrollHeight, innerHeight)].join()",
        )?;
        let size = text_of(&size)?;
        let (width, height) = size.split_once(',').unwrap_or(("1000", "800"));
        let parameters = format!(
            r#"{{"captureBeyondViewport":true,"clip":{{"x":0,"y":0,"width":{width},"height":{height},"scale":1}}}}"#
        );
        let taken = self
            .driver
            .devtools("Page.captureScreenshot", &parameters)?;
        let bytes = taken.get("data").and_then(Json::text).and_then(base64);
        let bytes = bytes.ok_or("the browser took no picture")?;
        fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }
}

fn text_of(json: &Json) -> Tried<String> {
    json.text()
        .map(str::to_owned)
        .ok_or_else(|| format!("the driver sent no text: {json:?}"))
}

/// Reads base64 with padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(digit);
        }
        bits <<= 6 * (4 - group.len());
        out.extend(bits.to_be_bytes().iter().skip(1).take(group.len() - 1));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_read() {
        assert_eq!(base64("SGVsbG8h").unwrap(), b"Hello!");
        assert_eq!(base64("SGVsbG8=").unwrap(), b"Hello");
        assert_eq!(base64("SGVsbA==").unwrap(), b"Hell");
        assert!(base64("S!==").is_none());
    }
}
