//! `cargo xtask packages`: every package that is built in has an allowed licence, builds with the oldest Rust that we
//! promise, and comes from the registry.
//!
//! Uses `json` and `cargo metadata`. The licences allowed are those of `deny.toml`; cargo-deny checks more with the same
//! file, but takes minutes to build.

use crate::json::Json;
use crate::place::{self, Tried};

/// Checks all packages of the lock file, of whatever platform.
pub(crate) fn run() -> Tried<()> {
    let allowed = allowed(&place::text(&place::root().join("deny.toml"))?)?;
    let mut cargo = place::cargo();
    let metadata = place::output(cargo.args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--all-features",
    ]))?;
    let metadata = Json::read(&metadata)?;
    let packages = metadata.get("packages").map(Json::list).unwrap_or_default();
    let own = packages
        .iter()
        .find(|package| told(package, "name") == "mcp-elicit");
    let promised = version(own.map(|own| told(own, "rust_version")).unwrap_or_default());
    let promised = promised.ok_or("mcp-elicit states no rust-version")?;

    let mut faults = Vec::new();
    for package in packages {
        for fault in faults_of(package, &allowed, promised) {
            faults.push(format!(
                "{} {}: {fault}",
                told(package, "name"),
                told(package, "version")
            ));
        }
    }
    if faults.is_empty() {
        println!(
            "packages: {} packages, licences, Rust versions and sources as they must be",
            packages.len()
        );
        return Ok(());
    }
    Err(faults.join("\n"))
}

fn faults_of(package: &Json, allowed: &[String], promised: (u32, u32)) -> Vec<String> {
    let mut faults = Vec::new();
    match (
        told(package, "license"),
        satisfied(told(package, "license"), allowed),
    ) {
        ("", _) => faults.push("names no licence".to_owned()),
        (licence, Ok(false)) => faults.push(format!(
            "the licence `{licence}` is not allowed by deny.toml"
        )),
        (_, Err(fault)) => faults.push(fault),
        (_, Ok(true)) => {}
    }
    if version(told(package, "rust_version")).is_some_and(|needed| needed > promised) {
        faults.push(format!(
            "needs Rust {}, and we promise {}.{}",
            told(package, "rust_version"),
            promised.0,
            promised.1
        ));
    }
    // A package of this workspace has no source.
    let source = told(package, "source");
    if !(source.is_empty() || source.starts_with("registry+")) {
        faults.push(format!("comes from {source}, not from the registry"));
    }
    faults
}

/// A member that is a string; absent and null count as empty.
fn told<'a>(package: &'a Json, name: &str) -> &'a str {
    package.get(name).and_then(Json::text).unwrap_or_default()
}

/// Major and minor version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// The strings of `allow = [ .. ]` in the section `[licenses]`.
fn allowed(toml: &str) -> Tried<Vec<String>> {
    let section = toml
        .split_once("[licenses]")
        .map(|(_, rest)| rest.split("\n[").next().unwrap_or(rest));
    let list = section
        .and_then(|section| section.split_once("allow = ["))
        .and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.ok_or("deny.toml has no `allow = [` under `[licenses]`")?;
    let entries = list
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    Ok(entries
        .flat_map(|line| line.split(','))
        .map(|entry| entry.trim().trim_matches('"').to_owned())
        .filter(|entry| !entry.is_empty())
        .collect())
}

/// Whether the allowed licences satisfy an SPDX expression; the old form `MIT/Apache-2.0` means OR.
fn satisfied(expression: &str, allowed: &[String]) -> Tried<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut words = words.as_slice();
    let verdict = either(&mut words, allowed);
    match (verdict, words) {
        (Some(verdict), []) => Ok(verdict),
        _ => Err(format!("not an SPDX expression: `{expression}`")),
    }
}

fn either(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut verdict = both(words, allowed)?;
    while take(words, "OR") {
        verdict |= both(words, allowed)?;
    }
    Some(verdict)
}

fn both(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut verdict = one(words, allowed)?;
    while take(words, "AND") {
        verdict &= one(words, allowed)?;
    }
    Some(verdict)
}

fn one(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    if take(words, "(") {
        let verdict = either(words, allowed)?;
        return take(words, ")").then_some(verdict);
    }
    let (name, rest) = words.split_first()?;
    *words = rest;
    if ["OR", "AND", "WITH", ")"].contains(name) {
        return None;
    }
    // An exception only widens what the licence grants.
    if take(words, "WITH") {
        let (_, rest) = words.split_first()?;
        *words = rest;
    }
    Some(allowed.iter().any(|allowed| allowed == name))
}

fn take(words: &mut &[&str], word: &str) -> bool {
    match words.split_first() {
        Some((first, rest)) if *first == word => {
            *words = rest;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{allowed, faults_of, satisfied, version};
    use crate::json::Json;

    #[test]
    fn expressions() {
        let list = [
            "MIT".to_owned(),
            "BSD-3-Clause".to_owned(),
            "Apache-2.0".to_owned(),
        ];
        for fine in [
            "MIT",
            "MIT/Apache-2.0",
            "Unlicense OR MIT",
            "(MIT OR GPL-3.0) AND BSD-3-Clause",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert_eq!(satisfied(fine, &list), Ok(true), "{fine}");
        }
        for bad in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT AND GPL-3.0) OR LGPL-2.1",
        ] {
            assert_eq!(satisfied(bad, &list), Ok(false), "{bad}");
        }
        for broken in ["", "MIT OR", "(MIT", "MIT MIT", "AND MIT"] {
            assert!(satisfied(broken, &list).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_list_is_read_from_its_section() {
        let toml = "[bans]\nallow = [\"x\"]\n[licenses]\nallow = [\n  \"MIT\", # one\n  \"Zlib\",\n]\n[sources]\n";
        assert_eq!(allowed(toml).unwrap(), ["MIT", "Zlib"]);
        assert!(allowed("[bans]").is_err());
    }

    #[test]
    fn each_fault_of_a_package_is_named() {
        let faults =
            |text: &str| faults_of(&Json::read(text).unwrap(), &["MIT".to_owned()], (1, 89)).len();
        assert_eq!(
            faults(r#"{"license":"MIT","rust_version":"1.89.0","source":"registry+x"}"#),
            0
        );
        assert_eq!(
            faults(r#"{"license":"MIT","rust_version":null,"source":null}"#),
            0
        );
        assert_eq!(
            faults(r#"{"license":null,"rust_version":"1.90","source":"git+x"}"#),
            3
        );
        assert_eq!(version("1.100.2"), Some((1, 100)));
    }
}
