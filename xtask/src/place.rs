//! Where things are, and how a command is run and its output kept.
//!
//! Uses only the standard library. Knows no check.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What went wrong, as one text for a person.
pub(crate) type Tried<T> = Result<T, String>;

/// The root of the workspace. Asked of cargo at run time: a target directory may be shared by several clones.
pub(crate) fn root() -> PathBuf {
    let here =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = PathBuf::from(here);
    here.parent()
        .map_or_else(|| here.clone(), Path::to_path_buf)
}

/// Cargo's target directory.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The directory for what the checks install and write, made when missing.
pub(crate) fn work() -> Tried<PathBuf> {
    directory(target().join("verify"))
}

/// Makes a directory with its parents.
pub(crate) fn directory(path: PathBuf) -> Tried<PathBuf> {
    fs::create_dir_all(&path)
        .map_err(|error| format!("cannot make {}: {error}", path.display()))?;
    Ok(path)
}

/// An empty directory at `path`: what was in it is removed.
pub(crate) fn emptied(path: PathBuf) -> Tried<PathBuf> {
    if path.exists() {
        fs::remove_dir_all(&path)
            .map_err(|error| format!("cannot empty {}: {error}", path.display()))?;
    }
    directory(path)
}

/// The content of a text file.
pub(crate) fn text(path: &Path) -> Tried<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The cargo that runs this check, so that the toolchain stays the same.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command to its end; its output is only shown when it fails.
pub(crate) fn quietly(command: &mut Command, log: &Path) -> Tried<()> {
    let written = |error| format!("cannot write {}: {error}", log.display());
    let file = File::create(log).map_err(written)?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone().map_err(written)?)
        .stderr(file);
    let status = command
        .status()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "{command:?} ended with {status}:\n{}",
            last_lines(log)
        ))
    }
}

/// The standard output of a command, if it can be run and succeeds.
pub(crate) fn output(command: &mut Command) -> Tried<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{command:?} ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("{command:?} wrote something that is no text"))
}

/// The end of a log, which mostly names the fault.
pub(crate) fn last_lines(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines
        .iter()
        .skip(lines.len().saturating_sub(30))
        .map(|line| format!("    {line}\n"))
        .collect()
}
