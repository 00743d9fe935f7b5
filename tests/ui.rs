//! What the compiler says: one mistake per file, a folder per rule. The sound twins in `ui/pass` are
//! run by `pass.rs`.
//!
//! After a change of messages, run with `TRYBUILD=overwrite` and read the difference.

use std::fs;

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    for entry in fs::read_dir("ui").expect("the folder of cases") {
        let folder = entry.expect("a folder").file_name();
        let folder = folder.to_str().expect("a plain name");
        if folder != "pass" {
            cases.compile_fail(format!("ui/{folder}/*.rs"));
        }
    }
}
