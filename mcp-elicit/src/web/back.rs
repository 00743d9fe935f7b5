//! Where a browser goes after sign-in: a path under the pages' own prefix, or nowhere. It uses
//! nothing else of the crate.

/// The path in `next`, if it is one under `prefix`. The alphabet of our own paths is all that is
/// let through, so that there is no other origin, no second slash, no backslash, no escape, no
/// query and no control character to argue about.
pub(super) fn under<'a>(prefix: &str, next: &'a str) -> Option<&'a str> {
    let rest = next.strip_prefix(prefix)?;
    let plain = next
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'-' | b'.'));
    let inside = rest.is_empty()
        || rest
            .strip_prefix('/')
            .is_some_and(|path| path.split('/').all(|part| !matches!(part, "" | "." | "..")));
    (plain && inside && next.len() <= 256).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::under;

    #[test]
    fn own_paths_pass() {
        for good in ["/ui", "/ui/set_api_key/AAAAAAAAAAAAAAAAAAAAAA", "/ui/a.b"] {
            assert_eq!(under("/ui", good), Some(good));
        }
        assert_eq!(under("/a/ui", "/a/ui/x/y"), Some("/a/ui/x/y"));
    }

    #[test]
    fn nothing_else_does() {
        for bad in [
            "",
            "/",
            "ui/x",
            "/uix",
            "/ui/",
            "//evil.example/ui/x",
            "/ui//evil.example",
            "https://evil.example/ui/x",
            "https:/ui/x",
            "/ui/../x",
            "/ui/..",
            "/ui/./x",
            "/ui\\evil",
            "/\\evil.example/ui",
            "\\/ui/x",
            "/ui/x\r\nSet-Cookie: a=b",
            "/ui/x\0",
            "/ui/\tx",
            "/ui/%2e%2e/x",
            "/ui/%2F%2Fevil",
            "/ui/x?next=//evil",
            "/ui/x#y",
            "/ui/@evil",
            "/ui/x:y",
            "/ui/\u{2215}x",
            " /ui/x",
            "javascript:alert(1)",
        ] {
            assert_eq!(under("/ui", bad), None, "{bad:?}");
        }
        assert_eq!(under("/ui", &format!("/ui/{}", "x".repeat(300))), None);
    }
}
