//! What fuzzers found worth keeping, fed once more to what they feed.

use std::path::Path;

use mcp_elicit_tests::fuzz;

#[test]
fn all_that_is_kept_still_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, target) in fuzz::TARGETS {
        let kept = std::fs::read_dir(corpus.join(name)).unwrap();
        let mut many = 0;
        for file in kept {
            let path = file.unwrap().path();
            let input = std::fs::read(&path).unwrap();
            let fed = std::panic::catch_unwind(|| target(&input));
            assert!(fed.is_ok(), "{}", path.display());
            many += 1;
        }
        assert!(many > 10, "{name} has {many} inputs");
    }
}
