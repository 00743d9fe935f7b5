//! Names in other styles: of a type, a key; of a field, a title; of either, its wire name.

/// The words of a name in any style: `APIKey`, `api_key` and `api-key` are all `api`, `key`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
                || before.is_some_and(|b| b.is_uppercase())
                    && chars.get(i + 1).is_some_and(|n| n.is_lowercase()));
        if !c.is_alphanumeric() || starts {
            words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    words.extend(Some(word).filter(|w| !w.is_empty()));
    words
}

/// `BillingKey` to `billing_key`.
pub(crate) fn snake(name: &str) -> String {
    words(name).join("_")
}

/// `party_size` to `Party size`.
pub(crate) fn title(name: &str) -> String {
    capital(&words(name).join(" "))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

/// How `rename_all` spells names; the same eight as serde's.
#[derive(Clone, Copy)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    /// All of them, by the name an author writes.
    pub(crate) const ALL: &[(&str, Self)] = &[
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];

    /// The case an author named.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(it, _)| *it == name)
            .map(|(_, case)| *case)
    }

    /// `name` in this case.
    pub(crate) fn apply(self, name: &str) -> String {
        self.spell(&words(name))
    }

    /// The variant `name` as serde spells it, which sees a word in each capital.
    pub(crate) fn apply_as_serde(self, name: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        for c in name.chars() {
            match words.last_mut() {
                Some(word) if !c.is_uppercase() => word.push(c),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        self.spell(&words)
    }

    /// The field `name` as serde spells it, which sees a word after each underscore.
    pub(crate) fn apply_to_field_as_serde(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
            Self::Pascal => name.split('_').map(capital).collect(),
            Self::Camel => {
                let pascal = Self::Pascal.apply_to_field_as_serde(name);
                let mut chars = pascal.chars();
                let first = chars.next().map(|it| it.to_ascii_lowercase());
                first.into_iter().chain(chars).collect()
            }
        }
    }

    fn spell(self, words: &[String]) -> String {
        match self {
            Self::Lower => words.concat(),
            Self::Upper => words.concat().to_uppercase(),
            Self::Pascal => words.iter().map(|w| capital(w)).collect(),
            Self::Camel => words
                .iter()
                .enumerate()
                .map(|(i, w)| if i == 0 { w.clone() } else { capital(w) })
                .collect(),
            Self::Snake => words.join("_"),
            Self::ScreamingSnake => words.join("_").to_uppercase(),
            Self::Kebab => words.join("-"),
            Self::ScreamingKebab => words.join("-").to_uppercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_style_have_the_same_words() {
        for name in [
            "ApiKey", "APIKey", "api_key", "API_KEY", "api-key", "apiKey",
        ] {
            assert_eq!(words(name), ["api", "key"], "{name}");
        }
        assert_eq!(words("OAuth2Token"), ["o", "auth2", "token"]);
        assert_eq!(words("_a__b_"), ["a", "b"]);
        assert_eq!(words("A"), ["a"]);
    }

    #[test]
    fn serde_sees_a_word_in_each_capital() {
        assert_eq!(Case::Snake.apply_as_serde("USDollar"), "u_s_dollar");
        assert_eq!(Case::Kebab.apply_as_serde("TwoWords"), "two-words");
        assert_eq!(Case::Pascal.apply_as_serde("USDollar"), "USDollar");
        assert_eq!(Case::Lower.apply_as_serde("USDollar"), "usdollar");
    }

    #[test]
    fn titles_and_cases() {
        assert_eq!(title("party_size"), "Party size");
        assert_eq!(snake("BillingKey"), "billing_key");
        let all: Vec<_> = Case::ALL
            .iter()
            .map(|(_, c)| c.apply("two_words"))
            .collect();
        assert_eq!(
            all,
            [
                "twowords",
                "TWOWORDS",
                "TwoWords",
                "twoWords",
                "two_words",
                "TWO_WORDS",
                "two-words",
                "TWO-WORDS"
            ]
        );
    }
}
