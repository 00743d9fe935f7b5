//! H: answers that do not fit reach nobody.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;

use super::*;

/// Who is it for?
#[derive(Elicit, Debug)]
struct Guest {
    #[elicit(min_length = 1, max_length = 5)]
    name: String,
    #[elicit(min = 0, max = 120)]
    age: Option<i16>,
    rate: Option<f64>,
    news: Option<bool>,
    #[elicit(format = "email")]
    email: Option<String>,
    big: Option<u64>,
}

#[tokio::test]
async fn h_035_no_answer_reaches_a_handler_unchecked() {
    let with = |name: &str, value: Value| {
        let mut answer = json!({ "name": "A" });
        answer[name] = value;
        answer
    };
    for (content, reason) in [
        (json!({}), "name: needs an answer"),
        (json!({ "name": 42 }), "name: must be a text"),
        (with("age", json!(-5)), "age: must be at least 0"),
        (with("age", json!(121)), "age: must be at most 120"),
        (with("age", json!("5")), "age: "),
        (with("age", json!(1e300)), "age: "),
        (with("age", json!(true)), "age: "),
        (with("age", json!([5])), "age: "),
        (with("name", json!("longer")), "name: "),
        (with("name", json!({ "a": 1 })), "name: must be a text"),
        (with("rate", json!("0.5")), "rate: "),
        (with("news", json!("true")), "news: "),
        (with("news", json!(1)), "news: "),
        (
            with("email", json!("nobody")),
            "email: must be an email address",
        ),
        (with("big", json!(9_007_199_254_740_992_u64)), "big: "),
        (with("big", json!(-1)), "big: "),
        (json!([]), "must be a JSON object"),
        (json!("name"), "must be a JSON object"),
    ] {
        let desk = Desk::<Guest>::open().await;
        let got = desk.accept(content.clone()).await;
        desk.asked_again(&got, &["Who is it for?", reason]);
    }
    for (content, reason) in [
        (r#"{"name":"A","rate":1e400}"#, "rate: "),
        (r#"{"name":"A","rate":-1e400}"#, "rate: "),
        (r#"{"name":"A","age":1e400}"#, "age: "),
        (
            r#"{"name":"A","age":123456789012345678901234567890}"#,
            "age: ",
        ),
        (r#"{"name":"\ud800"}"#, ""),
        (r#"{"name":"A","name":"B"}"#, "has a member twice"),
    ] {
        let desk = Desk::<Guest>::open().await;
        let got = desk.accept_text(content).await;
        if got.code() == 0 {
            desk.asked_again(&got, &[reason]);
        }
        assert_eq!(desk.passed(), 0, "{}", got.text);
    }
    for (json, reason) in [
        ("[]", "must be a JSON object"),
        ("", "must be a JSON object"),
        (r#"{"name":"A","name":"A"}"#, "has a member twice"),
        (r#"{"name":"A","\u006eame":"A"}"#, "has a member twice"),
    ] {
        let invalid = Guest::decode(json).unwrap_err();
        assert_eq!(invalid.to_string(), reason, "{json}");
    }
}

#[tokio::test]
async fn h_036_questions_come_to_an_end() {
    /// How many?
    #[derive(Elicit, Debug)]
    struct Count {
        count: u8,
    }
    for most in [1, 3, 7] {
        for content in [
            json!({}),
            json!({ "count": null }),
            json!({ "count": "many" }),
        ] {
            let desk = Desk::<Count>::with(Limits::default().attempts(most)).await;
            let mut got = desk.ask().await;
            let first = got.state();
            for _ in 1..most {
                got = desk.reply(&got, accept(content.clone())).await;
                desk.asked_again(&got, &["count: "]);
            }
            got = desk.reply(&got, accept(content.clone())).await;
            assert!(
                got.is_error() && got.first_text().contains("count"),
                "{}",
                got.text
            );
            assert_eq!(desk.passed(), 0);
            // An answer that fits comes too late for this state, but an older one still takes it.
            let answers = json!({ "count": accept(json!({ "count": 1 })) });
            let older = desk.client.retry("ask", json!({}), &first, answers).await;
            assert_eq!(older.first_text(), "Count { count: 1 }", "{}", older.text);
        }
    }
}

#[tokio::test]
async fn h_037_a_whole_number_is_one_however_it_is_written() {
    /// How many?
    #[derive(Elicit, Debug)]
    struct Count {
        count: u8,
    }
    for (text, value) in [
        ("3", Some(3)),
        ("3.0", Some(3)),
        ("3.000", Some(3)),
        ("3e0", Some(3)),
        ("30e-1", Some(3)),
        ("0.3e1", Some(3)),
        ("-0", Some(0)),
        ("-0.0", Some(0)),
        ("255.0", Some(255)),
        ("42.5", None),
        // Nearer to 3 than a number of JSON clients can tell.
        ("2.9999999999999999999", Some(3)),
        ("2.999999999999999", None),
        ("255.1", None),
        ("256.0", None),
        ("1e3", None),
        ("1e-1", None),
        ("\"3\"", None),
    ] {
        let desk = Desk::<Count>::open().await;
        // As a text: serde_json's own numbers have lost what matters here.
        let got = desk.accept_text(&format!(r#"{{"count":{text}}}"#)).await;
        match value {
            Some(n) => assert_eq!(
                got.first_text(),
                format!("Count {{ count: {n} }}"),
                "{text}"
            ),
            None => desk.asked_again(&got, &["count: "]),
        }
    }
}

#[tokio::test]
async fn h_038_the_envelope_of_an_answer_is_not_its_content() {
    /// Who?
    #[derive(Elicit, Debug)]
    struct Who {
        name: String,
        action: Option<String>,
        content: Option<String>,
    }
    let desk = Desk::<Who>::open().await;
    for bad in [
        json!({ "name": "A" }),
        json!({ "content": { "name": "A" } }),
        json!({ "Action": "accept", "content": { "name": "A" } }),
        json!({ "result": { "action": "accept", "content": { "name": "A" } } }),
        json!([{ "action": "accept", "content": { "name": "A" } }]),
        json!("accept"),
        Value::Null,
    ] {
        let got = desk.reply(&desk.ask().await, bad).await;
        assert!(got.code() == -32602 || got.asks(), "{}", got.text);
        assert_eq!(desk.passed(), 0);
    }
    for bad in [
        json!([]),
        json!("x"),
        json!(7),
        json!([{ "who": accept(json!({})) }]),
    ] {
        let one = desk.ask().await;
        let got = desk.client.retry("ask", json!({}), &one.state(), bad).await;
        assert_eq!((got.code(), desk.passed()), (-32602, 0), "{}", got.text);
    }
    // None at all: what is missing is asked again.
    let one = desk.ask().await;
    let got = desk
        .client
        .retry("ask", json!({}), &one.state(), Value::Null)
        .await;
    desk.asked_again(&got, &[]);
    // What stands beside the content is none of it.
    let got = desk
        .reply(
            &desk.ask().await,
            json!({ "action": "accept", "name": "A" }),
        )
        .await;
    desk.asked_again(&got, &["name: needs an answer"]);
    let content = json!({ "name": "A", "action": "decline", "content": "x" });
    let got = desk.accept(content).await;
    let all = r#"Who { name: "A", action: Some("decline"), content: Some("x") }"#;
    assert_eq!(got.first_text(), all, "{}", got.text);
}

#[tokio::test]
async fn h_039_an_answer_needs_an_action_and_no_more() {
    let desk = Desk::<Guest>::open().await;
    for answer in [
        json!({ "action": "decline" }),
        json!({ "action": "decline", "resultType": "complete" }),
        json!({ "action": "decline", "resultType": 7, "_meta": null, "content": { "name": 1 }, "x": [{}] }),
    ] {
        let got = desk.reply(&desk.ask().await, answer).await;
        assert!(
            got.is_error() && got.first_text().contains("declined"),
            "{}",
            got.text
        );
    }
    let answer =
        json!({ "action": "accept", "content": { "name": "A" }, "resultType": "x", "_meta": {} });
    let got = desk.reply(&desk.ask().await, answer).await;
    assert!(got.first_text().contains("name: \"A\""), "{}", got.text);
}

#[tokio::test]
async fn h_040_a_number_of_choices_is_one_that_there_can_be() {
    for (case, token) in [
        ("bounds/more_items_than_choices", "3"),
        ("bounds/max_items_above_choices", "3"),
        ("bounds/max_items_zero", "0"),
        ("selects/min_items_above_all", "251"),
    ] {
        refused(case, token, &["elicit::6"]);
    }
    #[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Label {
        A,
        B,
        C,
    }
    /// Which?
    #[derive(Elicit, Debug)]
    struct Labels {
        #[elicit(min_items = 1, max_items = 2)]
        list: Vec<Label>,
        #[elicit(min_items = 2)]
        set: Option<BTreeSet<Label>>,
    }
    for (content, reason) in [
        (json!({ "list": ["a", "a"] }), "list: has a choice twice"),
        (
            json!({ "list": [] }),
            "list: needs at least 1 of the choices",
        ),
        (json!({ "list": ["a", "b", "c"] }), "list: takes at most 2"),
        (json!({ "list": ["a", "d"] }), "list: takes only: a, b, c"),
        (json!({ "list": ["A"] }), "list: takes only: a, b, c"),
        (json!({ "list": ["a", null] }), "list: "),
        (
            json!({ "list": ["a"], "set": ["b", "b"] }),
            "set: has a choice twice",
        ),
        (
            json!({ "list": ["a"], "set": ["b"] }),
            "set: needs at least 2 of the choices",
        ),
    ] {
        let desk = Desk::<Labels>::open().await;
        let got = desk.accept(content).await;
        desk.asked_again(&got, &[reason]);
    }
}
