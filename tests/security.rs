//! SECURITY.md names tests; each must be there, or the page promises what nobody shows.

use std::collections::HashSet;
use std::path::Path;

/// All tests of the repository, as `file::test` and `folder::test`.
fn tests() -> HashSet<String> {
    let mut all = HashSet::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [root.to_owned(), root.join("../mcp-elicit/src")] {
        collect(&folder, &mut all);
    }
    all
}

fn collect(folder: &Path, all: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // Programs that do not compile have no tests.
            if !path.ends_with("ui") {
                collect(&path, all);
            }
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let file = path.file_stem().unwrap().to_str().unwrap();
            let folder = folder.file_name().unwrap().to_str().unwrap();
            for name in in_source(&text, folder == "suite") {
                all.insert(format!("{file}::{name}"));
            }
        }
    }
}

/// The functions behind an attribute that makes a test of them; in the suite of the stores every
/// public one is.
fn in_source(text: &str, is_suite: bool) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((before, rest)) = line.split_once("fn ") {
            let is_public = is_suite && before.starts_with("pub");
            if is_test || is_public {
                let name = rest.split(['(', '<']).next().unwrap();
                names.push(name.to_owned());
            }
            is_test = false;
        }
    }
    names
}

/// The rows of the table, each split into its cells.
fn table() -> Vec<Vec<String>> {
    let text = include_str!("../SECURITY.md");
    let section = text
        .split("## URL mode and sensitive data, requirement by requirement")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| {
        row.trim_matches('|')
            .split(" | ")
            .map(|it| it.trim().to_owned())
            .collect()
    };
    rows.skip(2).map(cells).collect()
}

#[test]
fn every_test_that_the_security_page_names_is_there() {
    let (tests, rows) = (tests(), table());
    assert_eq!(rows.len(), 25, "a row for each requirement");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for row in &rows {
        let [_, level, _, _, named] = &row[..] else {
            panic!("not five cells: {row:?}");
        };
        assert!(
            ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT"].contains(&&**level),
            "{row:?}"
        );
        let names: Vec<_> = named.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test for {row:?}");
        missing.extend(names.into_iter().filter(|name| {
            if name.starts_with("ui/") {
                !root.join(format!("{name}.rs")).exists()
                    || !root.join(format!("{name}.stderr")).exists()
            } else {
                !tests.contains(*name)
            }
        }));
    }
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn a_function_that_is_no_test_is_not_taken_for_one() {
    let source = "#[test]\nfn one() {}\nfn two() {}\n#[tokio::test(flavor = \"x\")]\n\
                  #[cfg(unix)]\nasync fn three() {}\npub async fn four<T>() {}";
    assert_eq!(in_source(source, false), ["one", "three"]);
    assert_eq!(in_source(source, true), ["one", "three", "four"]);
    assert!(!tests().contains("phishing::typed"));
}
