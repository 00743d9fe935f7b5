//! Pictures that clients may show beside a name (basic/index, "`icons`"). Plain data and its JSON.

use serde::Serialize;

/// A picture for a tool, a prompt, a resource, a link or the server itself.
///
/// ```
/// use mcp_elicit::{Icon, Theme};
///
/// let icon = Icon::new("https://example.com/invoice.png")
///     .mime_type("image/png")
///     .sizes(["48x48", "96x96"])
///     .theme(Theme::Dark);
/// # let _ = icon;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct Icon {
    src: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<Theme>,
}

/// The background that an icon is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these two")]
pub enum Theme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

impl Icon {
    /// The picture at an `https:` or `http:` URL, or in a `data:` URI. PNG and JPEG are shown
    /// everywhere, SVG and WebP by most. A client fetches it without credentials, and may want it from
    /// the server's own domain.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// Its type, where the source does not say it, such as `image/png`.
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The sizes it is good for, such as `48x48`, or `any` for one that scales. Without them any will do.
    pub fn sizes(mut self, sizes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.sizes = sizes.into_iter().map(Into::into).collect();
        self
    }

    /// The background it is made for. Without it, both.
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// What is wrong with it. A client must refuse other schemes, since they can run code.
    pub(crate) fn fault(&self) -> Option<String> {
        let src = &self.src;
        let begins = |scheme: &str| {
            src.get(..scheme.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(scheme))
        };
        if !["https://", "http://", "data:"].into_iter().any(begins) {
            return Some(format!(
                "the icon `{src}` is no `https:` or `http:` URL and no `data:` URI"
            ));
        }
        let size = self.sizes.iter().find(|it| !is_size(it))?;
        Some(format!(
            "the size `{size}` of the icon `{src}` is not of the form `48x48`, and not `any`"
        ))
    }

    /// Shows every text of the icon.
    pub(crate) fn each_text(&self, see: &mut dyn FnMut(&str)) {
        see(&self.src);
        self.mime_type.as_deref().into_iter().for_each(&mut *see);
        self.sizes.iter().for_each(|it| see(it));
    }
}

fn is_size(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit());
    let is_pair = |(w, h): (&str, &str)| is_number(w) && is_number(h);
    text == "any" || text.split_once('x').is_some_and(is_pair)
}

impl From<&str> for Icon {
    fn from(src: &str) -> Self {
        Self::new(src)
    }
}

impl From<String> for Icon {
    fn from(src: String) -> Self {
        Self::new(src)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_has_the_shape_of_the_specification() {
        let icon = Icon::new("https://a/b.svg")
            .mime_type("image/svg+xml")
            .sizes(["any"])
            .theme(Theme::Light);
        assert_eq!(
            serde_json::to_string(&icon).unwrap(),
            r#"{"src":"https://a/b.svg","mimeType":"image/svg+xml","sizes":["any"],"theme":"light"}"#
        );
        assert_eq!(
            serde_json::to_string(&Icon::from("data:x")).unwrap(),
            r#"{"src":"data:x"}"#
        );
    }

    #[test]
    fn other_schemes_and_sizes_are_faults() {
        for src in [
            "",
            "a.png",
            "javascript:alert(1)",
            "file:///a",
            "httpsx",
            "é",
        ] {
            assert!(
                Icon::new(src).fault().unwrap().contains("no `https:`"),
                "{src}"
            );
        }
        for src in ["HTTPS://a", "http://a", "data:image/png;base64,AA=="] {
            assert_eq!(Icon::new(src).fault(), None, "{src}");
        }
        for size in ["", "48", "48x", "x48", "48X48", "48x48x48", "Any"] {
            let fault = Icon::new("data:").sizes(["any", "1x1", size]).fault();
            assert!(fault.unwrap().contains("48x48"), "{size}");
        }
    }
}
