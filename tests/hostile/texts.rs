//! Names and texts of any characters, and documents of many lines.

#![allow(
    clippy::doc_lazy_continuation,
    clippy::tabs_in_doc_comments,
    reason = "so they are written"
)]

use elicit::prelude::*;

/// Wohin, "Größe" \ und  wie? 🚂
///
/// - einmal
/// - zweimal:
///   immer wieder
///
/// 1. am Ende
/// of it.
#[derive(Elicit, Debug)]
#[elicit(crate = elicit, key = "wo-hin")]
pub struct Größe {
    /// "Quoted", back\slash, `code`, {braces}, tab	and	non-breaking space.
    #[elicit(title = "a\"b\\c\nd\te\u{0}f\u{1f}g\u{7f}h\u{2028}i\u{202e}😀{}")]
    pub r#type: String,
    /** A block
     *  of two lines
     *
     *  - and an item
     */
    pub höhe_über_null: Option<i16>,
    #[doc = "First."]
    #[doc = ""]
    #[doc = "Second."]
    pub r#名前: 種類,
    #[elicit(
        rename = "quote\" \\ \u{1} 🎉",
        description = "\u{feff}\u{1}",
        default = "\"\\\u{1}🎉"
    )]
    #[expect(missing_docs, reason = "the description stands in the attribute")]
    pub r#match: String,
}

/// Which kind
#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[choice(crate = elicit)]
pub enum 種類 {
    /// Der "erste" \ 😀.
    Überraschung,
    /// Auch.
    #[choice(rename = "\"\\\u{1}", title = "\u{0}\u{7f}")]
    Zwei,
    /// Drei
    r#Default,
}

#[cfg(test)]
mod tests {
    use elicit::serde_json::{Value, from_str, json};

    use super::*;
    use crate::expected::schema;

    #[test]
    fn each_text_arrives_as_it_was_written() {
        let it = Größe::declaration();
        assert_eq!(it.key(), "wo-hin");
        let message = "Wohin, \"Größe\" \\ und  wie? 🚂\n\n- einmal\n- zweimal: immer wieder\n\n1. am Ende of it.";
        assert_eq!(it.message(), message);
        let request: Value = from_str(it.request()).expect("JSON");
        assert_eq!(request["params"]["message"], message);
        assert_eq!(
            schema::<Größe>(),
            json!({
                "type": "object",
                "properties": {
                    "type": {
                        "type": "string",
                        "title": "a\"b\\c\nd\te\u{0}f\u{1f}g\u{7f}h\u{2028}i\u{202e}😀{}",
                        "description": "\"Quoted\", back\\slash, `code`, {braces}, tab\tand\tnon-breaking\u{a0}space.",
                    },
                    "höhe_über_null": {
                        "type": "integer",
                        "title": "Höhe über null",
                        "description": "A block of two lines\n\n- and an item",
                        "minimum": -32768,
                        "maximum": 32767,
                    },
                    "名前": {
                        "type": "string",
                        "title": "名前",
                        "description": "First.\n\nSecond.",
                        "oneOf": [
                            {"const": "überraschung", "title": "Der \"erste\" \\ 😀"},
                            {"const": "\"\\\u{1}", "title": "\u{0}\u{7f}"},
                            {"const": "default", "title": "Drei"},
                        ],
                    },
                    "quote\" \\ \u{1} 🎉": {
                        "type": "string",
                        "title": "Match",
                        "description": "\u{feff}\u{1}",
                        "default": "\"\\\u{1}🎉",
                    },
                },
                "required": ["type", "名前"],
            })
        );
    }

    #[test]
    fn answers_are_read_by_the_same_names() {
        let answer = json!({
            "type": "t",
            "höhe_über_null": null,
            "名前": "\"\\\u{1}",
            "quote\" \\ \u{1} 🎉": "given",
        });
        let it = Größe::decode(&answer.to_string()).expect("it fits");
        assert_eq!((&*it.r#type, it.höhe_über_null), ("t", None));
        assert_eq!((it.名前, &*it.r#match), (種類::Zwei, "given"));
    }
}
