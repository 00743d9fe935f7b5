//! Short names of things that a token is bound to: the request and the principal.
//!
//! Both are the first 16 bytes of a SHA-256 over parts with their lengths before them. They stand
//! inside the encrypted state only, so they need no key.

use sha2::{Digest as _, Sha256};

use super::canonical;

/// Names one request: its method, its target and its arguments.
///
/// Two texts of the same arguments have the same digest: the order of members, white space
/// between tokens and the way a string is escaped do not matter. How a number is written does,
/// since what it means is the handler's business. Arguments that name a member twice, or nest
/// deeper than a sane form of JSON does, count by their bytes alone, as do some that were made to
/// be hard to put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RequestDigest(pub(super) [u8; 16]);

impl RequestDigest {
    /// The digest of, say, `tools/call`, the tool's name, and the JSON text of its arguments.
    pub(crate) fn of(method: &str, target: &str, arguments: Option<&str>) -> Self {
        let text = arguments.unwrap_or_default();
        let mut input = Vec::with_capacity(method.len() + target.len() + text.len() + 40);
        push(&mut input, method.as_bytes());
        push(&mut input, target.as_bytes());
        if arguments.is_some() {
            let start = input.len();
            input.push(1);
            if !canonical::append(text, &mut input) {
                input.truncate(start);
                input.push(2);
                input.extend_from_slice(text.as_bytes());
            }
        } else {
            input.push(0);
        }
        Self(first_half(Sha256::digest(&input).into()))
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Names a principal without saying who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PrincipalTag(pub(super) [u8; 16]);

impl PrincipalTag {
    /// The tag of, say, tenant, issuer, subject and client. `["ab", "c"]` and `["a", "bc"]` differ.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut input = Vec::with_capacity(128);
        for part in parts {
            push(&mut input, part.as_bytes());
        }
        Self(first_half(Sha256::digest(&input).into()))
    }

    /// A tag that was made before.
    pub(crate) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// SHA-256 over a label and parts, each with its length before it.
pub(crate) fn digest_of(label: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in std::iter::once(label.as_bytes()).chain(parts.iter().copied()) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn push(input: &mut Vec<u8>, part: &[u8]) {
    input.extend_from_slice(&(part.len() as u64).to_be_bytes());
    input.extend_from_slice(part);
}

fn first_half(hash: [u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    for (to, from) in half.iter_mut().zip(hash) {
        *to = from;
    }
    half
}

#[cfg(test)]
mod tests {
    use super::{PrincipalTag, RequestDigest, digest_of};

    fn of(arguments: &str) -> RequestDigest {
        RequestDigest::of("tools/call", "t", Some(arguments))
    }

    #[test]
    fn the_way_it_is_written_does_not_matter() {
        let plain = of(r#"{"a":1,"b":{"c":[true,null,"x y"],"d":"é/\"😀"},"e":{},"f":[]}"#);
        for same in [
            r#"{"f":[],"e":{},"b":{"d":"é/\"😀","c":[true,null,"x y"]},"a":1}"#,
            "\t{ \"a\" : 1 ,\r\n\"b\":{ \"c\": [ true , null,\"x y\" ],\"d\":\"é/\\\"😀\"},\"e\":{ },\"f\":[\n] } ",
            r#"{"\u0061":1,"b":{"c":[true,null,"x\u0020y"],"d":"\u00E9\/\u0022\uD83d\uDe00"},"e":{},"f":[]}"#,
        ] {
            assert_eq!(of(same), plain, "{same}");
        }
    }

    #[test]
    fn what_it_says_does_matter() {
        let texts = [
            "{}",
            "[]",
            "null",
            r#""""#,
            r#"{"a":1}"#,
            r#"{"a":1.0}"#,
            r#"{"a":"1"}"#,
            r#"{"a":[1]}"#,
            r#"{"a":{"1":{}}}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":2,"b":1}"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[2,1]}"#,
            r#"{"a":[[1],2]}"#,
            r#"{"a":[[1,2]]}"#,
            r#"{"a":[1,[2]]}"#,
            r#"{"a":12}"#,
            r#"{"a":true}"#,
            r#"{"a":"\\u0061"}"#,
            r#"{"a":"a"}"#,
            r#"{"a":"\n"}"#,
            r#"{"a":"\\n"}"#,
            r#"{"a":"\",\"b\":\""}"#,
            r#"{"a":"","b":""}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\\ud800"}"#,
            r#"{"a":"\udc00\ud800"}"#,
            r#"{"a":"\ud800\udc00"}"#,
        ];
        for (i, one) in texts.iter().enumerate() {
            for two in &texts[i + 1..] {
                assert_ne!(of(one), of(two), "{one} {two}");
            }
        }
    }

    /// Which one counts depends on who reads it, so order matters where a name is repeated.
    #[test]
    fn a_repeated_member_counts_as_it_is_written() {
        assert_ne!(of(r#"{"a":1,"a":2}"#), of(r#"{"a":2,"a":1}"#));
        assert_ne!(of(r#"{"a":1,"a":2}"#), of(r#"{"a":2}"#));
        assert_ne!(of(r#"{"a":1,"\u0061":2}"#), of(r#"{"a":1,"a":2}"#));
        assert_eq!(
            of(r#"{"x":{"a":1,"a":2},"b":3}"#),
            of(r#"{"b":3, "x":{"a":1,"a":2}}"#)
        );
        assert_ne!(
            of(r#"{"x":{"a":1,"a":2},"b":3}"#),
            of(r#"{"x":{"a":2,"a":1},"b":3}"#)
        );
    }

    #[test]
    fn hostile_texts_are_only_bytes() {
        let deep = |n: usize| format!("{}1{}", r#"{"b":1,"a":"#.repeat(n), "}".repeat(n));
        let turned = |n: usize| format!("{}1{}", r#"{"a":"#.repeat(n), r#","b":1}"#.repeat(n));
        assert_eq!(of(&deep(10)), of(&turned(10)));
        assert_ne!(of(&deep(1_000_000)), of(&turned(1_000_000)));
        assert_ne!(of(&"[".repeat(1_000_000)), of(&"[".repeat(999_999)));
        for broken in [
            "",
            " ",
            "{",
            "}",
            "{]",
            "[}",
            r#"{"a""#,
            r#"{"a":"#,
            r#"{"a":1,"#,
            r#"{"a":1,}"#,
            r#"{a:1}"#,
            r#"""#,
            r#""\"#,
            r#""\u"#,
            r#""\u12"#,
            r#""\ud800\"#,
            r#""\x""#,
            "1 2",
            "[1 2]",
            "[,]",
            "{}}",
            "\u{1}",
        ] {
            assert_ne!(of(broken), of("0"));
            assert_eq!(of(broken), of(broken));
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(
            PrincipalTag::of(&["ab", "c"]),
            PrincipalTag::of(&["a", "bc"])
        );
        assert_ne!(PrincipalTag::of(&["a"]), PrincipalTag::of(&["a", ""]));
        assert_ne!(
            RequestDigest::of("a", "b", None),
            RequestDigest::of("ab", "", None)
        );
        assert_ne!(
            RequestDigest::of("a", "b", None),
            RequestDigest::of("a", "b", Some("{}"))
        );
        assert_ne!(digest_of("l", &[b"ab"]), digest_of("l", &[b"a", b"b"]));
        assert_ne!(digest_of("l", &[]), digest_of("", &[b"l"]));
    }

    /// Random values, each written in two random ways.
    #[test]
    fn equal_values_have_equal_digests() {
        use serde_json::Value;
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for _ in 0..3000 {
            let value = any(&mut random, 4);
            let (mut one, mut two) = (String::new(), String::new());
            write(&value, &mut random, &mut one);
            write(&value, &mut random, &mut two);
            assert_eq!(serde_json::from_str::<Value>(&one).unwrap(), value);
            assert_eq!(serde_json::from_str::<Value>(&two).unwrap(), value);
            assert_eq!(of(&one), of(&two), "{one}\n{two}");
            let other = any(&mut random, 4);
            assert_eq!(of(&one) == of(&other.to_string()), value == other);
        }
    }

    fn any(random: &mut impl FnMut(u64) -> u64, depth: u32) -> serde_json::Value {
        match random(if depth == 0 { 4 } else { 6 }) {
            0 => serde_json::Value::Null,
            1 => (random(2) == 0).into(),
            2 => random(300).into(),
            3 => text(random).into(),
            4 => (0..random(4)).map(|_| any(random, depth - 1)).collect(),
            _ => serde_json::Value::Object(
                (0..random(5))
                    .map(|_| (text(random), any(random, depth - 1)))
                    .collect(),
            ),
        }
    }

    fn text(random: &mut impl FnMut(u64) -> u64) -> String {
        (0..random(4))
            .filter_map(|_| {
                r#"ab"\/{}[],: é😀"#
                    .chars()
                    .chain(['\n', '\0', '\u{7f}', '\u{ffff}'])
                    .nth(random(20) as usize)
            })
            .collect()
    }

    fn write(value: &serde_json::Value, random: &mut impl FnMut(u64) -> u64, out: &mut String) {
        use serde_json::Value;
        let blank = |random: &mut dyn FnMut(u64) -> u64| ["", "", " ", "\n\t"][random(4) as usize];
        out.push_str(blank(random));
        match value {
            Value::String(text) => quote(text, random, out),
            Value::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    write(item, random, out);
                }
                out.push_str(blank(random));
                out.push(']');
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                for i in (1..members.len()).rev() {
                    members.swap(i, random(i as u64 + 1) as usize);
                }
                out.push('{');
                for (i, (name, value)) in members.into_iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    out.push_str(blank(random));
                    quote(name, random, out);
                    out.push_str(blank(random));
                    out.push(':');
                    write(value, random, out);
                }
                out.push_str(blank(random));
                out.push('}');
            }
            _ => out.push_str(&value.to_string()),
        }
        out.push_str(blank(random));
    }

    fn quote(text: &str, random: &mut impl FnMut(u64) -> u64, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            let must = matches!(c, '"' | '\\') || c < ' ';
            match random(3) {
                0 => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04X}"));
                    }
                }
                1 if matches!(c, '"' | '\\' | '/') => {
                    out.push('\\');
                    out.push(c);
                }
                _ if must => {
                    let quoted = serde_json::to_string(&c).unwrap();
                    out.push_str(&quoted[1..quoted.len() - 1]);
                }
                _ => out.push(c),
            }
        }
        out.push('"');
    }
}
