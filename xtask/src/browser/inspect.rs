//! What must hold on every page in every state: an accessibility check without a violation, nothing wider than a
//! small phone, nothing that the page's own policy had to stop. Pictures are kept for people to look at.
//!
//! Uses `window`.

use std::path::PathBuf;

use super::window::{Look, Window};
use crate::json::Json;
use crate::place::Tried;

/// Looks at pages and keeps pictures of them.
#[derive(Debug)]
pub(super) struct Inspector {
    /// The source of axe-core.
    pub(super) axe: String,
    pub(super) pictures: PathBuf,
}

impl Inspector {
    /// Looks at the page that the window shows, in light, dark and narrow.
    pub(super) fn page(&self, window: &Window, name: &str) -> Tried<()> {
        let mut faults = Vec::new();
        for look in [Look::Light, Look::Dark, Look::Narrow] {
            window.look(look)?;
            let path = self.pictures.join(format!("{name}-{}.png", look.name()));
            window.picture(&path)?;
            let found = self.faults(window)?;
            faults.extend(
                found
                    .into_iter()
                    .map(|fault| format!("{name}, {}: {fault}", look.name())),
            );
        }
        window.look(Look::Light)?;
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("\n    "))
        }
    }

    fn faults(&self, window: &Window) -> Tried<Vec<String>> {
        let mut faults = Vec::new();
        let wide = window.told(
            "const e = document.documentElement; return e.scrollWidth > innerWidth ? `${e.scrollWidth} in ${innerWidth}` : ''",
        )?;
        if !wide.is_empty() {
            faults.push(format!("it scrolls sideways: {wide} px"));
        }
        let language = window.told("return document.documentElement.lang")?;
        if language.is_empty() {
            faults.push("it has no language".to_owned());
        }
        // A status of 403 is logged as well; only what was stopped by a policy is a fault.
        let stopped = window
            .console()?
            .into_iter()
            .filter(|line| line.contains("Content Security Policy") || line.contains("Refused to"));
        faults.extend(stopped);
        if window.script("return window.axe === undefined")? == Json::Bool(true) {
            window.script(&self.axe)?;
        }
        let found = window.script_later(RUN)?;
        faults.extend(
            found
                .list()
                .iter()
                .filter_map(Json::text)
                .map(str::to_owned),
        );
        Ok(faults)
    }
}

/// Runs all rules and returns a line for each violation.
const RUN: &str = "const done = arguments[0];
axe.run(document).then(
    found => done(found.violations.map(v => `${v.id}: ${v.help}: ${v.nodes.map(n => n.html.slice(0, 120) + ' ' + n.any.map(a => a.message).join('; ')).join(' | ')}`)),
    error => done([`axe failed: ${error}`]),
);";
