//! Colours and whether they can be read (WCAG 2, "Contrast (Minimum)"). It uses nothing else of the
//! crate.

/// A colour in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour([u8; 3]);

pub(super) const WHITE: Colour = Colour([255; 3]);
pub(super) const BLACK: Colour = Colour([0; 3]);

impl Colour {
    /// Reads `#rrggbb`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let all = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = all.to_be_bytes();
        Some(Self([r, g, b]))
    }

    pub(super) fn text(self) -> String {
        let Self([r, g, b]) = self;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Relative luminance.
    fn luminance(self) -> f64 {
        let linear = |byte: u8| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        let Self([r, g, b]) = self;
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    /// From 1, the same, to 21, black on white.
    pub(super) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever can be read better on this. It always is at least 4.58 to 1.
    pub(super) fn text_on(self) -> Self {
        if self.contrast(WHITE) >= self.contrast(BLACK) {
            WHITE
        } else {
            BLACK
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!(Colour::parse("#0b57D0"), Some(Colour([11, 87, 208])));
        for bad in ["", "0b57d0", "#0b57d", "#0b57d00", "#+b57d0", "red", "#äöü"] {
            assert_eq!(Colour::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn contrasts_are_those_of_others() {
        assert!((WHITE.contrast(BLACK) - 21.0).abs() < 1e-9);
        // The usual example of a grey that just passes on white, and the next that does not.
        let grey = |text| Colour::parse(text).unwrap().contrast(WHITE);
        assert!(grey("#767676") >= 4.5 && grey("#777777") < 4.5);
    }

    #[test]
    fn text_can_be_read_on_any_colour() {
        for byte in 0..=255 {
            let it = Colour([byte; 3]);
            assert!(it.contrast(it.text_on()) >= 4.5, "{byte}");
        }
    }
}
