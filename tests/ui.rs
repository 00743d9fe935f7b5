//! tmp
#[test]
fn ui() {
    let t = trybuild::TestCases::new();
    t.compile_fail("ui/tools/*.rs");
}
