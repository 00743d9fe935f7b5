//! Name, logo and colours of a server's pages. It uses `colour`.

use std::borrow::Cow;
use std::fmt;

use super::colour::Colour;

/// The card that texts stand on, in `style.css`, light and dark.
const GROUNDS: [&str; 2] = ["#ffffff", "#1d1e22"];

/// Least contrast of text (WCAG 2, level AA).
const READABLE: f64 = 4.5;

/// Largest logo in bytes.
const LOGO_BYTES: usize = 256 * 1024;

/// The kinds of image that a logo may be.
const LOGO_KINDS: [&str; 4] = ["image/svg+xml", "image/png", "image/webp", "image/jpeg"];

/// What makes the pages yours: a name, a logo, a colour.
///
/// ```
/// use mcp_elicit::Server;
/// use mcp_elicit::web::looks::Brand;
///
/// const LOGO: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>"#;
///
/// let server = Server::new("northwind", "1.0.0").brand(
///     Brand::new()
///         .name("Northwind Traders")
///         .logo("image/svg+xml", LOGO)
///         .accent("#0b6e4f", "#7fd8b4"),
/// );
/// ```
#[derive(Clone, Default)]
pub struct Brand {
    name: Option<String>,
    logo: Option<(String, Cow<'static, [u8]>)>,
    accent: Option<[String; 2]>,
}

impl Brand {
    /// The usual looks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What pages call the server, in place of its title.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// An image before the name, at most 256 KiB. `kind` is `image/svg+xml`, `image/png`,
    /// `image/webp` or `image/jpeg`. The server sends it from its own pages, so the bytes are given
    /// here. It is shown 2 rem high, in light and in dark; an SVG may ask for
    /// `prefers-color-scheme` itself.
    #[must_use]
    pub fn logo(mut self, kind: impl Into<String>, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        self.logo = Some((kind.into(), bytes.into()));
        self
    }

    /// The colour of links, of the button that saves and of what has the focus, as `#rrggbb`: one for
    /// light pages and one for dark ones. The server does not start with a colour that cannot be
    /// read: links need a contrast of 4.5 to 1 on white, and on `#1d1e22` in the dark. What stands on
    /// the colour is black or white, whichever is better.
    #[must_use]
    pub fn accent(mut self, light: impl Into<String>, dark: impl Into<String>) -> Self {
        self.accent = Some([light.into(), dark.into()]);
        self
    }

    pub(crate) fn check(&self, problems: &mut Vec<String>) {
        if self.name.as_ref().is_some_and(|n| n.trim().is_empty()) {
            problems.push("the brand's name is empty; leave it out".into());
        }
        if let Some((kind, bytes)) = &self.logo {
            if !LOGO_KINDS.contains(&kind.as_str()) {
                let known = LOGO_KINDS.join("`, `");
                problems.push(format!(
                    "a logo of the kind `{kind}` is not taken; give `{known}`"
                ));
            }
            if bytes.is_empty() || bytes.len() > LOGO_BYTES {
                let length = bytes.len();
                problems.push(format!(
                    "the logo has {length} bytes; it needs 1 to {LOGO_BYTES}"
                ));
            }
        }
        let accents = self.accent.iter().flatten();
        for (text, ground) in accents.zip(GROUNDS) {
            let (Some(colour), Some(on)) = (Colour::parse(text), Colour::parse(ground)) else {
                problems.push(format!(
                    "the accent `{text}` is no colour such as `#0b57d0`"
                ));
                continue;
            };
            let contrast = colour.contrast(on);
            if contrast < READABLE {
                problems.push(format!(
                    "the accent `{text}` cannot be read on `{ground}`: its contrast is {contrast:.2} to 1 and must be \
                     {READABLE} at least; take a {} one",
                    if ground == GROUNDS[0] { "darker" } else { "lighter" }
                ));
            }
        }
    }

    pub(crate) fn given_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(in crate::web) fn image(&self) -> Option<(&str, &[u8])> {
        let (kind, bytes) = self.logo.as_ref()?;
        Some((kind, bytes))
    }

    /// What is to follow the usual style sheet.
    pub(in crate::web) fn style(&self) -> String {
        let Some(accents) = &self.accent else {
            return String::new();
        };
        let rule = |text: &str| {
            let accent = Colour::parse(text)?;
            let (on, accent) = (accent.text_on().text(), accent.text());
            Some(format!(
                ":root {{ --accent: {accent}; --on-accent: {on}; }}"
            ))
        };
        let [light, dark] = accents
            .each_ref()
            .map(|text| rule(text).unwrap_or_default());
        format!("{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n")
    }
}

impl fmt::Debug for Brand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brand")
            .field("name", &self.name)
            .field("logo", &self.logo.as_ref().map(|(kind, _)| kind))
            .field("accent", &self.accent)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(brand: &Brand) -> Vec<String> {
        let mut all = Vec::new();
        brand.check(&mut all);
        all
    }

    #[test]
    fn the_grounds_are_those_of_the_style_sheet() {
        let style = include_str!("../../../templates/style.css");
        for ground in GROUNDS {
            assert!(style.contains(&format!("--card: {ground};")), "{ground}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert_eq!(
            problems(&Brand::new().accent("#0b6e4f", "#7fd8b4")),
            [""; 0]
        );
        let swapped = problems(&Brand::new().accent("#7fd8b4", "#0b6e4f"));
        assert_eq!(swapped.len(), 2, "{swapped:?}");
        assert!(swapped[0].contains("darker") && swapped[1].contains("lighter"));
        assert_eq!(problems(&Brand::new().accent("green", "#7fd8b4")).len(), 1);
    }

    #[test]
    fn other_logos_and_names_are_refused() {
        assert_eq!(
            problems(&Brand::new().logo("image/png", vec![1; LOGO_BYTES])),
            [""; 0]
        );
        assert_eq!(problems(&Brand::new().logo("text/html", vec![])).len(), 2);
        assert_eq!(
            problems(&Brand::new().logo("image/png", vec![1; LOGO_BYTES + 1])).len(),
            1
        );
        assert_eq!(problems(&Brand::new().name(" ")).len(), 1);
    }

    #[test]
    fn the_text_on_a_colour_is_chosen() {
        let style = Brand::new().accent("#0b6e4f", "#7fd8b4").style();
        assert!(
            style.starts_with(":root { --accent: #0b6e4f; --on-accent: #ffffff; }"),
            "{style}"
        );
        assert!(
            style.contains("{ --accent: #7fd8b4; --on-accent: #000000; }"),
            "{style}"
        );
    }
}
