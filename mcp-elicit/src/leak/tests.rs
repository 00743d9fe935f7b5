use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::json;

use super::Guard;

/// Has characters that every encoding treats in its own way.
const SECRET: &str = "sk_live/51+Hq~\"k\\9 é?>😀&=%";
const KEY: &str =
    "-----BEGIN KEY-----\r\nMIIEvQIBADANBgkq\r\nhkiG9w0BAQEF==\r\n-----END KEY-----\r\n";

fn guard(secrets: &[&str]) -> Guard {
    Guard::new(secrets.iter().copied())
}

/// The text as a tool's result has it.
fn result(text: &str) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}})
        .to_string()
        .into_bytes()
}

fn is_caught(secret: &str, text: &str) -> bool {
    guard(&["another secret of the run", secret]).leaks(&result(text))
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn percent(text: &str, escape: impl Fn(u8) -> bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if escape(byte) || !byte.is_ascii() {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

#[test]
fn no_secret_no_work() {
    let guard = Guard::new([]);
    assert!(guard.is_empty());
    assert!(!guard.leaks(&result(SECRET)));
    // It does not even ask for the parts.
    let mut parts = std::iter::from_fn(|| -> Option<&str> { panic!("asked for a part") });
    assert!(!guard.leaks_across(&mut parts));
}

#[test]
fn finds_it_plain() {
    for text in [
        SECRET.to_owned(),
        format!("Authorization: Bearer {SECRET}\n"),
        format!("{SECRET}{SECRET}"),
        format!("x{SECRET}"),
    ] {
        assert!(is_caught(SECRET, &text), "{text}");
    }
    assert!(is_caught("123456789012", "the number is 123456789012."));
}

#[test]
fn finds_it_in_every_place_of_a_reply() {
    let guard = guard(&[SECRET]);
    for reply in [
        json!({"structuredContent": {"key": SECRET}}),
        json!({"structuredContent": {SECRET: true}}),
        json!([[[SECRET]]]),
        json!({"error": {"code": 1, "message": format!("no account for {SECRET}"), "data": null}}),
        json!({"params": {"url": format!("https://x/?k={}", percent(SECRET, |_| true))}}),
        json!({"message": format!("checked {SECRET}"), "progress": 1}),
    ] {
        assert!(guard.leaks(reply.to_string().as_bytes()), "{reply}");
    }
    assert!(Guard::new(["4242424242424242"]).leaks(br#"{"card":4242424242424242}"#));
}

#[test]
fn finds_it_escaped_in_any_way() {
    let guard = guard(&[SECRET]);
    let all: String = SECRET
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04X}"))
        .collect();
    assert!(guard.leaks(format!("[\"{all}\"]").as_bytes()));
    let mut some = String::new();
    for (i, c) in SECRET.chars().enumerate() {
        if i % 3 == 0 || matches!(c, '"' | '\\') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                some.push_str(&format!("\\u{unit:04x}"));
            }
        } else if c == '/' {
            some.push_str("\\/");
        } else {
            some.push(c);
        }
    }
    assert_ne!(some, SECRET);
    assert!(guard.leaks(format!("[\"{some}\"]").as_bytes()));
    // JSON in a string of JSON, as a text block repeats the structured content.
    let mut text = json!({"key": SECRET}).to_string();
    for _ in 0..3 {
        assert!(guard.leaks(&result(&text)), "{text}");
        text = json!({"inner": text}).to_string();
    }
    let lines = "first line of it\nsecond\tline \"of\" it";
    let inner = json!([lines]).to_string();
    assert!(is_caught(lines, &inner));
    assert!(is_caught(lines, &format!("{lines:?}")));
}

#[test]
fn finds_it_in_base64_wherever_it_stands() {
    for secret in [
        SECRET,
        "exactly12byt",
        "thirteen byte",
        "fourteen bytes",
        KEY,
    ] {
        for before in ["", "u", "us", "user", "user:"] {
            for behind in ["", "\n", "ab", "abc", "?>?>"] {
                let text = format!("{before}{secret}{behind}");
                for engine in [&STANDARD, &URL_SAFE, &URL_SAFE_NO_PAD] {
                    let encoded = engine.encode(&text);
                    let basic = format!("Authorization: Basic {encoded}");
                    assert!(is_caught(secret, &basic), "{text:?}");
                    let url = format!(
                        "https://x/?a={}",
                        percent(&encoded, |b| !b.is_ascii_alphanumeric())
                    );
                    assert!(is_caught(secret, &url), "{url}");
                }
            }
        }
    }
}

#[test]
fn finds_it_in_base64_and_hex_of_several_lines() {
    let long = format!("{KEY}{KEY}");
    let wrap = |text: &str, width: usize, end: &str| {
        let lines: Vec<_> = text.as_bytes().chunks(width).collect();
        String::from_utf8(lines.join(end.as_bytes())).unwrap()
    };
    for end in ["\n", "\r\n", "\n    "] {
        assert!(is_caught(KEY, &wrap(&STANDARD.encode(&long), 76, end)));
        assert!(is_caught(KEY, &wrap(&hex(&long), 64, end)));
    }
}

#[test]
fn finds_it_in_hex() {
    let upper = hex(SECRET).to_uppercase();
    for text in [hex(SECRET), upper.clone(), format!("0x{upper}00")] {
        assert!(is_caught(SECRET, &text), "{text}");
    }
}

#[test]
fn finds_it_percent_encoded() {
    let reserved = |byte: u8| !byte.is_ascii_alphanumeric();
    for encoded in [
        percent(SECRET, |_| true),
        percent(SECRET, |_| true).to_lowercase(),
        percent(SECRET, reserved),
        percent(SECRET, |byte| matches!(byte, b'"' | b'%' | b' ' | b'&')),
        percent(&percent(SECRET, reserved), reserved),
        percent(SECRET, |byte| reserved(byte) && byte != b' ').replace(' ', "+"),
    ] {
        let url = format!("https://example.com/?key={encoded}&x=%zz%");
        assert!(is_caught(SECRET, &url), "{url}");
    }
}

#[test]
fn finds_it_with_other_blanks() {
    assert!(is_caught(KEY, KEY));
    assert!(is_caught(KEY, &KEY.replace("\r\n", "\n")));
    assert!(is_caught(KEY, KEY.trim()));
    assert!(is_caught(
        "  surrounded by blanks \n",
        "it is surrounded by blanks"
    ));
}

#[test]
fn a_short_secret_counts_as_a_whole_value_alone() {
    for caught in [
        "pin-4321",
        " pin-4321\n",
        "pin%2D4321",
        "cGluLTQzMjE=",
        "cGluLTQzMjE",
        "70696e2d34333231",
    ] {
        assert!(is_caught("pin-4321", caught), "{caught}");
    }
    for fine in [
        "the pin-4321",
        "pin-43210",
        "\"pin-4321\"",
        "pin-432",
        "PIN-4321",
        "",
    ] {
        assert!(!is_caught("pin-4321", fine), "{fine}");
    }
    let guard = guard(&["hello", "é\""]);
    assert!(guard.leaks(br#"{"a":"\u0068ello"}"#));
    assert!(guard.leaks(br#"{"a" : [ "x", "hello" ] }"#));
    assert!(guard.leaks(r#"["\u00e9\""]"#.as_bytes()));
    // Names of members are the author's.
    assert!(!guard.leaks(
        br#"{"hello":1,"hello" :{"hello"
        :"hello world"}}"#
    ));
    // Text that is JSON is looked into, prose is not.
    assert!(guard.leaks(&result(&json!({"a": ["hello"]}).to_string())));
    let twice = json!([json!({"a": "hello"}).to_string()]).to_string();
    assert!(guard.leaks(&result(&twice)));
    assert!(!guard.leaks(&result(r#"she said: "hello", and left"#)));
}

#[test]
fn a_very_short_secret_counts_plain_alone() {
    assert!(is_caught("42", "42"));
    assert!(!is_caught("42", "3432"));
    assert!(!is_caught("   ", "   "));
    assert!(guard(&["", " \n"]).is_empty());
}

#[test]
fn finds_it_in_parts() {
    let guard = guard(&[SECRET, "pin-4321"]);
    let across = |parts: &[&str]| guard.leaks_across(&mut parts.iter().copied());
    let half = SECRET.len() / 3;
    let (one, two) = SECRET.split_at(half);
    assert!(across(&["text", one, two, "more"]));
    assert!(across(&[&format!("a {one}"), "", two]));
    let letters: Vec<String> = SECRET.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert!(across(&letters));
    let encoded = STANDARD.encode(SECRET);
    assert!(across(&[&encoded[..10], &encoded[10..]]));
    assert!(across(&["pin-", "4321"]));
    assert!(!across(&["my pin-", "4321"]));
    assert!(!across(&[two, one]));
    assert!(!across(&[]));
}

#[test]
fn innocent_replies_pass() {
    let guard = guard(&[
        SECRET,
        KEY,
        "pin-4321",
        "hello",
        "correct horse battery staple",
    ]);
    let long = "Lorem ipsum % dolor \\ sit \"amet\" é😀\n".repeat(2000);
    for text in [
        "",
        "ok",
        "sk_live/51",
        "-----BEGIN KEY-----\n",
        "hello world",
        "correct horse battery",
        "Correct Horse Battery Staple",
        "c2tfbGl2ZS81MQ==",
        "100 % \\u00zz \\ud800 \\",
        &long,
    ] {
        assert!(!guard.leaks(&result(text)), "{text}");
        assert!(!guard.leaks_across(&mut [text, text].into_iter()));
    }
    for odd in [
        "", "\"", "\"\\", "[\"a\\\"", "{", "\\u", "%", "%4", "\"hello", "hello\"",
    ] {
        assert!(!guard.leaks(odd.as_bytes()), "{odd}");
    }
    assert!(!guard.leaks(&[0xff, b'"', 0xfe, b'\\', 0xff, b'%', 0xff]));
}

#[test]
fn every_twelve_bytes_are_enough() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let alphabet: Vec<char> = ('!'..='~').chain("é😀 \n".chars()).collect();
    for _ in 0..300 {
        let mut text = || -> String {
            let len = 12 + random() % 40;
            (0..len)
                .map(|_| alphabet[random() % alphabet.len()])
                .collect()
        };
        let (secret, around) = (text(), text());
        // What only differs in blanks around it is as secret.
        let secret = secret.trim();
        if secret.len() < 12 {
            continue;
        }
        let text = format!("{around}{secret}{around}");
        assert!(is_caught(secret, &text), "{secret:?}");
        assert!(is_caught(secret, &STANDARD.encode(&text)), "{secret:?}");
        assert!(
            is_caught(secret, &URL_SAFE_NO_PAD.encode(&text)),
            "{secret:?}"
        );
        assert!(
            is_caught(secret, &percent(&text, |b| b % 3 == 0 || b == b'%')),
            "{secret:?}"
        );
        assert!(is_caught(secret, &hex(&text)), "{secret:?}");
        assert!(!is_caught(secret, &around.repeat(2)));
    }
}

#[test]
fn shows_nothing() {
    assert_eq!(format!("{:?}", guard(&[SECRET, "hello"])), "Guard { .. }");
}
