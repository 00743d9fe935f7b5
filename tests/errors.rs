//! `docs/errors.md` and the cases of `ui` agree: each rule has its section, each section its cases,
//! and the examples are cases, word for word.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn page() -> String {
    read("../docs/errors.md")
}

/// Every file with this ending in the folders of `ui`.
fn cases(ending: &str) -> Vec<PathBuf> {
    let mut cases = Vec::new();
    for folder in fs::read_dir("ui").unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|it| it == ending) {
                cases.push(path);
            }
        }
    }
    cases
}

/// The numbers that follow `before` in a text.
fn numbers(text: &str, before: &str) -> BTreeSet<u8> {
    text.split(before)
        .skip(1)
        .filter_map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .collect()
}

#[test]
fn each_rule_has_its_section_and_each_section_its_cases() {
    let sections = numbers(&page(), "## elicit::");
    assert_eq!(sections, (1..=12).collect());
    let mut shown = BTreeSet::new();
    for case in cases("stderr") {
        shown.extend(numbers(&read(case), "[elicit::"));
    }
    // The last is a lint of the compiler's own.
    assert_eq!(shown, (1..=11).collect());
}

#[test]
fn each_example_is_a_case_word_for_word() {
    let page = page();
    let mut examples = 0;
    for part in page.split("`tests/").skip(1) {
        let Some((path, rest)) = part.split_once("`:\n\n```rust\n") else {
            continue;
        };
        let (code, _) = rest.split_once("\n```\n").expect("the end of the code");
        assert_eq!(code, read(path).trim_end(), "{path}");
        let is_sound = path.starts_with("ui/pass/");
        assert_eq!(
            Path::new(path).with_extension("stderr").exists(),
            !is_sound,
            "{path}"
        );
        examples += 1;
    }
    assert_eq!(examples, 24);
}

#[test]
fn each_case_is_one_mistake_with_its_rule() {
    // What the compiler says in its own words.
    let own_words = [
        "options/check_missing",
        "options/check_wrong_type",
        "types/set_without_order",
    ];
    for case in cases("stderr") {
        let name = case.with_extension("");
        let name = name.strip_prefix("ui").unwrap().to_str().unwrap();
        // Of a step the compiler says the same at the call, at its whole and at the `.await`.
        let of_several = ["tools/", "all_at_once/", "steps/"];
        if of_several.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let text = read(&case);
        let errors: Vec<_> = text.lines().filter(|it| it.starts_with("error")).collect();
        let [error] = errors.as_slice() else {
            panic!("{name}: {} errors", errors.len());
        };
        assert!(
            error.ends_with(']') && error.contains(" [elicit::") || own_words.contains(&name),
            "{name}: {error}"
        );
    }
}
