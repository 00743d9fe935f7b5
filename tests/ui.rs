//! What the compiler says: one mistake per file, a folder per rule. The sound twin of each is the case with the
//! edits of `ui/twins.txt`; larger sound programs, in `ui/pass`, are run by `pass.rs`.
//!
//! After a change of messages, run with `TRYBUILD=overwrite` and read the difference.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    for folder in names_in("ui") {
        if folder != "pass" && !folder.contains('.') {
            cases.compile_fail(format!("ui/{folder}/*.rs"));
        }
    }
    // All in one program: it is not the twins but the library that takes time to link.
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/twins.rs");
    fs::write(path, twins()).expect("the file of all twins");
    cases.pass(path);
}

/// One module for each refused case, made sound by its edits.
fn twins() -> String {
    let list = fs::read_to_string("ui/twins.txt").expect("the list of twins");
    let (_, list) = list.split_once("\n\n").expect("a heading");
    let mut program = String::from("#![allow(unused, nonstandard_style)]\nfn main() {}\n");
    let mut seen = BTreeSet::new();
    for line in list.lines().filter(|it| !it.is_empty()) {
        let (case, edits) = line.split_once(": ").expect("a case and its edits");
        let mut code = fs::read_to_string(format!("ui/{case}.rs")).expect(case);
        for edit in edits.split(" &&") {
            let (from, to) = edit.split_once(" =>").expect(line);
            let from = from.strip_prefix(' ').unwrap_or(from);
            assert!(code.contains(from), "{line}");
            code = code.replacen(from, to.trim_start(), 1);
        }
        let name = case.replace('/', "_");
        writeln!(program, "mod {name} {{\n{code}}}").expect("a text grows");
        seen.insert(case.to_owned());
    }
    for folder in names_in("ui").iter().filter(|it| !it.contains('.')) {
        for file in names_in(&format!("ui/{folder}")) {
            if let Some(case) = file.strip_suffix(".stderr") {
                let case = format!("{folder}/{case}");
                assert!(seen.contains(&case), "{case} has no twin");
            }
        }
    }
    program
}

fn names_in(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder of cases");
    let names = entries.map(|it| it.expect("an entry").file_name());
    names
        .map(|it| it.into_string().expect("a plain name"))
        .collect()
}
