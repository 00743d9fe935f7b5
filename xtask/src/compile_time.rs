//! `cargo xtask compile-time`: what a struct with `#[derive(Elicit)]` costs the compiler, beside the same struct with
//! serde's `Deserialize` and schemars' `JsonSchema`.
//!
//! Writes throw-away crates in the target directory and uses cargo to check them. It measures and judges nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{self, Tried};

const STRUCTS: [usize; 3] = [1, 50, 500];
/// How often each crate is checked; the fastest time counts, since whatever disturbs makes it slower.
const ROUNDS: usize = 3;

/// A derive that is measured.
struct Subject {
    name: &'static str,
    prelude: &'static str,
    derives: &'static str,
    /// The attributes of a bounded text, of a bounded number and of an enum.
    text: &'static str,
    number: &'static str,
    choice: &'static str,
}

const SUBJECTS: [Subject; 2] = [
    Subject {
        name: "elicit",
        prelude: "use mcp_elicit::{Choice, Elicit};",
        derives: "Elicit",
        text: "#[elicit(max_length = 40)]",
        number: "#[elicit(min = 1, max = 500)]",
        choice: "Choice",
    },
    Subject {
        name: "serde-schemars",
        prelude: "use schemars::JsonSchema;\nuse serde::Deserialize;",
        derives: "Deserialize, JsonSchema",
        text: "#[schemars(length(max = 40))]",
        number: "#[schemars(range(min = 1, max = 500))]",
        choice: "Deserialize, JsonSchema",
    },
];

/// Measures and prints a table.
pub(crate) fn run() -> Tried<()> {
    let root = place::emptied(place::target().join("compile-time/crates"))?;
    write(&root)?;
    // Everything that the crates use is built before a clock runs.
    let all = check(&root, None);
    place::quietly(&mut { all }, &root.join("log"))?;

    let mut fastest = vec![[Duration::MAX; SUBJECTS.len()]; STRUCTS.len() + 1];
    for _ in 0..ROUNDS {
        for (count, times) in counts().zip(&mut fastest) {
            for (subject, time) in SUBJECTS.iter().zip(times) {
                *time = (*time).min(measure(&root, subject, count)?);
            }
        }
    }
    print(&fastest);
    Ok(())
}

/// How many structs the crates have; that with none shows what all have in common.
fn counts() -> impl Iterator<Item = usize> {
    [0].into_iter().chain(STRUCTS)
}

fn print(fastest: &[[Duration; SUBJECTS.len()]]) {
    println!("`cargo check` of a struct with 8 fields, fastest of {ROUNDS} rounds:");
    print!("{:>8}", "structs");
    for subject in &SUBJECTS {
        print!(" {:>15} {:>11}", subject.name, "per struct");
    }
    println!();
    for (count, times) in counts().zip(fastest) {
        print!("{count:>8}");
        for (time, empty) in times.iter().zip(fastest.first().unwrap_or(times)) {
            let each = time.saturating_sub(*empty).as_secs_f64() * 1000.0 / count.max(1) as f64;
            print!(" {:>12.0} ms {each:>8.2} ms", time.as_secs_f64() * 1000.0);
        }
        println!();
    }
}

fn measure(root: &Path, subject: &Subject, count: usize) -> Tried<Duration> {
    let source = folder(root, subject, count).join("lib.rs");
    // Writing it again makes cargo check it again.
    fs::write(&source, code(subject, count))
        .map_err(|error| format!("{}: {error}", source.display()))?;
    let mut command = check(root, Some(&package(subject, count)));
    let start = Instant::now();
    place::quietly(&mut command, &root.join("log"))?;
    Ok(start.elapsed())
}

fn check(root: &Path, package: Option<&str>) -> Command {
    let mut command = place::cargo();
    command
        .current_dir(root)
        .env("CARGO_INCREMENTAL", "0")
        .args(["check", "--quiet", "--offline", "--target-dir", "../target"])
        .stdin(Stdio::null());
    match package {
        Some(name) => command.args(["--package", name]),
        None => command.arg("--workspace"),
    };
    command
}

fn package(subject: &Subject, count: usize) -> String {
    format!("{}-{count}", subject.name)
}

fn folder(root: &Path, subject: &Subject, count: usize) -> PathBuf {
    root.join(package(subject, count))
}

/// Writes a workspace of all crates, with the versions of this one.
fn write(root: &Path) -> Tried<()> {
    let put = |path: PathBuf, text: &str| {
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    let here = place::root();
    put(
        root.join("Cargo.toml"),
        "[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n",
    )?;
    put(
        root.join("Cargo.lock"),
        &place::text(&here.join("Cargo.lock"))?,
    )?;
    let workspace = place::text(&here.join("Cargo.toml"))?;
    let version = |name: &str| {
        let line = workspace
            .lines()
            .find(|line| line.starts_with(&format!("{name} = ")));
        line.ok_or(format!("the workspace does not use {name}"))
    };
    let library = here.join("mcp-elicit");
    let ours = format!("mcp-elicit = {{ path = {library:?}, default-features = false }}");
    let theirs = format!("{}\n{}", version("serde")?, version("schemars")?);
    for (subject, uses) in SUBJECTS.iter().zip([&ours, &theirs]) {
        for count in counts() {
            let folder = place::directory(folder(root, subject, count))?;
            let manifest = format!(
                "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n{uses}\n",
                package(subject, count),
            );
            put(folder.join("Cargo.toml"), &manifest)?;
            put(folder.join("lib.rs"), &code(subject, count))?;
        }
    }
    Ok(())
}

/// A crate with this many structs. The enum is in each, since it is no part of what is measured.
fn code(subject: &Subject, count: usize) -> String {
    let Subject {
        prelude,
        derives,
        text,
        number,
        choice,
        ..
    } = subject;
    let mut code = format!(
        "#![allow(dead_code, unused_imports)]\n{prelude}\n\n#[derive({choice})]\npub enum Plan {{\n    Free,\n    Pro,\n    Team,\n}}\n"
    );
    for i in 0..count {
        // Writing to a text does not fail.
        let _ = write!(
            code,
            "
/// How should we invoice you for order {i}?
#[derive({derives})]
pub struct Invoice{i} {{
    /// Where the invoice goes
    {text}
    pub email: String,
    pub company: Option<String>,
    pub plan: Plan,
    /// How many people will use it
    {number}
    pub seats: u16,
    pub floor: Option<i32>,
    pub rate: f64,
    pub weekly: bool,
    /// What else should be on it
    pub note: Option<String>,
}}
"
        );
    }
    code
}
