//! Installs the clients: from npm, from PyPI into a virtual environment, and from crates.io by building a driver.
//!
//! Uses `npm` and `place`. Nothing is installed outside the target directory; the exact versions are in the lock files
//! of `verify/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::npm::{Missing, Packages};
use crate::place::{self, Tried};
use crate::verify::Outcome;

/// Says whether a Python is new enough for the clients.
const NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// What is needed to run all clients that can be had.
#[derive(Debug)]
pub(super) struct Installed {
    pub(super) packages: Packages,
    pub(super) clients: Vec<Client>,
    /// Why some are not there.
    pub(super) missing: Vec<String>,
}

/// A client and how its driver is run.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// Its package and version, for people.
    pub(super) version: String,
    driver: Driver,
}

#[derive(Debug)]
enum Driver {
    /// A script of `verify/clients/` for Node.
    Node(&'static str),
    /// This Python, and the script for it.
    Python(PathBuf),
    /// The program.
    Rust(PathBuf),
}

impl Client {
    /// The driver, without the file of the stories and how to reach the server.
    pub(super) fn command(&self, packages: &Packages) -> Command {
        match &self.driver {
            Driver::Node(script) => packages.script(&folder().join(script)),
            Driver::Python(python) => {
                let mut command = Command::new(python);
                command.arg(folder().join("python.py")).arg(self.name);
                command
            }
            Driver::Rust(program) => Command::new(program),
        }
    }
}

/// Where the drivers and stories are.
pub(super) fn folder() -> PathBuf {
    verify().join("clients")
}

fn verify() -> PathBuf {
    place::root().join("xtask").join("verify")
}

/// Installs all, at once; without npm nothing is checked at all, since the check of the messages comes from there.
pub(super) fn all() -> Result<Installed, Outcome> {
    let (packages, python, rust) = thread::scope(|scope| {
        let python = scope.spawn(python);
        let rust = scope.spawn(rust);
        let panicked = |_| Err(Missing::Broken("an install panicked".to_owned()));
        (
            Packages::install(),
            python.join().unwrap_or_else(panicked),
            rust.join()
                .unwrap_or_else(|_| Err("a build panicked".to_owned())),
        )
    });
    let packages = packages.map_err(|missing| match missing {
        Missing::Here(why) => Outcome::Skipped(why),
        Missing::Broken(why) => Outcome::Failed(vec![why]),
    })?;
    let failed = |fault| Outcome::Failed(vec![fault]);
    let rust = rust.map_err(failed)?;

    let npm = place::text(&verify().join("npm").join("package.json")).map_err(failed)?;
    let pypi = place::text(&folder().join("requirements.in")).map_err(failed)?;
    let crates = place::text(&folder().join("rmcp").join("Cargo.toml")).map_err(failed)?;
    let client = |name, package: &str, pinned: &str, driver| Client {
        name,
        version: version(package, pinned),
        driver,
    };
    let mut clients = vec![
        client(
            "typescript",
            "@modelcontextprotocol/client",
            &npm,
            Driver::Node("typescript.mjs"),
        ),
        client(
            "mcpdo",
            "@modelcontextprotocol/inspector",
            &npm,
            Driver::Node("mcpdo.mjs"),
        ),
        client("rmcp", "rmcp", &crates, Driver::Rust(rust)),
    ];
    let mut missing = Vec::new();
    match python {
        Ok(python) => {
            for name in ["mcp", "fastmcp"] {
                let driver = Driver::Python(python.clone());
                clients.push(client(name, name, &pypi, driver));
            }
        }
        Err(Missing::Here(why)) => missing.push(why),
        Err(Missing::Broken(why)) => return Err(failed(why)),
    }
    Ok(Installed {
        packages,
        clients,
        missing,
    })
}

/// The package with the version that its list names: the first number after the name.
fn version(package: &str, list: &str) -> String {
    let line = list.lines().map(|line| line.trim().trim_matches('"'));
    let line = line
        .filter_map(|line| line.strip_prefix(package))
        .find(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'));
    let number = line.unwrap_or_default();
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let number = number.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
    format!("{package} {}", number.get(..end).unwrap_or_default())
}

/// Installs what `requirements.txt` names, unless that very set is there. The Python to run it with.
fn python() -> Result<PathBuf, Missing> {
    let list = folder().join("requirements.txt");
    let broken = Missing::Broken;
    let wanted = place::text(&list).map_err(broken)?;
    let into = place::work().map_err(broken)?.join("python");
    let python = into.join("bin").join("python");
    let stamp = into.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if place::output(Command::new("python3").args(["-c", NEW_ENOUGH])).is_err() {
        return Err(Missing::Here(
            "there is no Python 3.10 or newer for its clients".to_owned(),
        ));
    }
    place::emptied(into.clone()).map_err(broken)?;
    let log = into.join("install.log");
    let mut make = Command::new("python3");
    if let Err(fault) = place::quietly(make.args(["-m", "venv"]).arg(&into), &log) {
        return Err(Missing::Here(format!(
            "Python makes no virtual environment for its clients: {fault}"
        )));
    }
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--only-binary=:all:",
        "--requirement",
    ]);
    place::quietly(pip.arg(&list), &log).map_err(broken)?;
    fs::write(&stamp, wanted)
        .map_err(|error| Missing::Broken(format!("cannot write {}: {error}", stamp.display())))?;
    Ok(python)
}

/// Builds the driver with rmcp. It is a workspace of its own, so that nothing else builds rmcp.
fn rust() -> Tried<PathBuf> {
    let target = place::directory(place::work()?.join("rmcp"))?;
    let manifest = folder().join("rmcp").join("Cargo.toml");
    let mut cargo = place::cargo();
    cargo
        .args(["build", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target);
    place::quietly(&mut cargo, &target.join("build.log"))?;
    let name = format!("mcp-elicit-verify-rmcp{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("debug").join(name))
}

/// A home of its own for one driver, so that nothing of a person's own settings is read or changed. Dropped, it is gone.
#[derive(Debug)]
pub(super) struct Home(PathBuf);

impl Home {
    /// The name of a socket may not be long, so it is not below the target directory.
    pub(super) fn new(name: &str) -> Tried<Self> {
        let name = format!("mcp-elicit-{}-{name}", std::process::id());
        place::emptied(std::env::temp_dir().join(name)).map(Self)
    }

    /// Tells a driver where it is, also the daemon of `mcpdo` and a server over stdio, which keeps its data there.
    pub(super) fn set(&self, command: &mut Command) {
        command
            .env("HOME", &self.0)
            .env("MCP_INSPECTOR_DAEMON_DIR", self.0.join("daemon"))
            .env("MCP_INSPECTOR_SECRET_STORE", "file")
            .env_remove("XDG_DATA_HOME")
            .env_remove("MCP_ELICIT_DATA");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // The driver stops the daemon, unless it was stopped itself.
        let lock: &Path = &self.0.join("daemon").join("mcpdod.lock");
        if let Ok(id) = fs::read_to_string(lock) {
            drop(place::output(Command::new("kill").arg(id.trim())));
        }
        drop(fs::remove_dir_all(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_found_in_all_lists() {
        let npm = "{\n \"@a/client-more\": \"1.0.0\",\n \"@a/client\": \"2.4.0\",\n}";
        assert_eq!(version("@a/client", npm), "@a/client 2.4.0");
        let pypi = "fastmcp==4.2.3\nmcp==2.3.0\n";
        assert_eq!(version("mcp", pypi), "mcp 2.3.0");
        let crates = "name = \"verify-rmcp\"\nrmcp = { version = \"=3.11.0\", features = [] }";
        assert_eq!(version("rmcp", crates), "rmcp 3.11.0");
    }
}
