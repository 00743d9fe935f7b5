//! Links in texts that are known only at run time. In declared texts the compiler refuses them; here
//! the author is told in the log, for what a text is made of may come from anywhere.

/// Whether a client could make a link of something in `text`.
pub(crate) fn has_link(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("://")
        || lower.contains("](")
        || ["www.", "mailto:", "javascript:", "data:text", "tel:"]
            .into_iter()
            .any(|scheme| is_word_with_more(&lower, scheme))
}

/// Whether `scheme` begins a word somewhere and is not all of it.
fn is_word_with_more(text: &str, scheme: &str) -> bool {
    text.match_indices(scheme).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let after = rest.strip_prefix(scheme).unwrap_or_default();
        !before.ends_with(char::is_alphanumeric) && after.starts_with(|c: char| !c.is_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use super::has_link;

    #[test]
    fn the_same_as_the_macros_refuse() {
        for text in [
            "See https://example.com",
            "HTTP://EXAMPLE.COM",
            "go to www.example.com",
            "[here](example.com)",
            "mailto:a@b.c",
            "vscode://open",
        ] {
            assert!(has_link(text), "{text}");
        }
        for text in [
            "Your email",
            "Either/or: choose",
            "Metadata: text",
            "e.g. example.com",
            "Hotel: which one?",
            "awww. Sure?",
            "a list (of two) [optional]",
        ] {
            assert!(!has_link(text), "{text}");
        }
    }
}
