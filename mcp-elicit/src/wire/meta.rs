//! The keys of `_meta`, which those of extensions follow too (basic/index, "`_meta`").

/// What is wrong with a key: it is a prefix of labels and a slash, which may be left out, and a name.
pub(crate) fn fault(key: &str) -> Option<String> {
    let is_fine = match key.split_once('/') {
        Some((prefix, name)) => prefix.split('.').all(is_label) && is_name(name),
        None => !key.is_empty() && is_name(key),
    };
    (!is_fine).then(|| {
        format!("`{key}` is no key: write a domain of yours and a name, such as `com.example/rank`")
    })
}

/// What is wrong with the id of an extension, whose prefix is needed.
pub(crate) fn extension_fault(id: &str) -> Option<String> {
    let bare = (!id.contains('/')).then(|| {
        format!(
            "the extension `{id}` has no prefix: write a domain first, such as `com.example/rank`"
        )
    });
    bare.or_else(|| fault(id))
}

fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'-')
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at_end = |b: Option<&u8>| b.is_none_or(u8::is_ascii_alphanumeric);
    at_end(bytes.first())
        && at_end(bytes.last())
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::{extension_fault, fault};

    #[test]
    fn a_key_is_a_prefix_and_a_name() {
        for key in ["rank", "com.example/rank", "io.x-y/", "a/b.c-d_e", "ui"] {
            assert_eq!(fault(key), None, "{key}");
        }
        for key in [
            "",
            "-a",
            "a_",
            "a b",
            "com.example/ra/nk",
            "1a.b/c",
            "a-.b/c",
            ".a/b",
            "/b",
            "é",
        ] {
            assert!(fault(key).is_some(), "{key}");
        }
        assert_eq!(extension_fault("io.modelcontextprotocol/tasks"), None);
        assert!(extension_fault("tasks").is_some());
        assert!(extension_fault("a b/tasks").is_some());
    }
}
