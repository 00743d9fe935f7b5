//! Finds Chromium and its driver, and installs Debian's where that was allowed.
//!
//! Uses `place`. Where they are missing the judge is skipped, with the reason.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place;

/// The packages that have them, and a font without which text is boxes.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-dejavu-core"];

/// Where the two programs are.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) browser: PathBuf,
    pub(super) driver: PathBuf,
    /// Chromium's own sandbox does not work for root.
    pub(super) is_root: bool,
}

/// The two programs, or why they are not there. They are installed only by root, and only on a machine that says
/// `CI=true`: a check does not change a person's machine unasked.
pub(super) fn programs() -> Result<Programs, String> {
    let is_root = place::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if let Some(found) = found(is_root) {
        return Ok(found);
    }
    let lacking = "Chromium and its driver are not installed";
    let advice = "install `chromium` and `chromium-driver`, or run as root with CI=true";
    if !is_root || std::env::var_os("CI").is_none() {
        return Err(format!("{lacking}; {advice}"));
    }
    let work = place::work()?;
    for (arguments, log) in [
        (&["update"][..], "apt-update.log"),
        (
            &["install", "--yes", "--no-install-recommends"][..],
            "apt-install.log",
        ),
    ] {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        if arguments.len() > 1 {
            apt.args(PACKAGES);
        }
        place::quietly(&mut apt, &work.join(log))
            .map_err(|fault| format!("{lacking}, and installing them failed: {fault}"))?;
    }
    found(is_root).ok_or_else(|| format!("{lacking}, not even after an install; {advice}"))
}

fn found(is_root: bool) -> Option<Programs> {
    Some(Programs {
        browser: program("chromium")?,
        driver: program("chromedriver")?,
        is_root,
    })
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|path: &PathBuf| Path::is_file(path))
}
