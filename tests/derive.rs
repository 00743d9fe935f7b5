//! Forms and pages as the derive makes them.

#![allow(dead_code)]

use std::time::Duration;

use mcp_elicit::ExposeSecret;
use mcp_elicit::declare::{Fallback, Keep, Mode};
use mcp_elicit::prelude::*;
use mcp_elicit::serde;
use serde_json::json;

/// How should we invoice you?
#[derive(Elicit, Debug)]
struct Invoice {
    #[elicit(format = "email")]
    email: String,
    plan: Plan,
    /// What else?
    #[elicit(min_items = 1)]
    extras: Vec<Extra>,
    #[elicit(min = 1, max = 500, default = 1)]
    seats: u16,
    starts: Option<String>,
    #[elicit(min = 0.5, max = 10)]
    rate: f64,
}

#[derive(Choice, Debug, PartialEq)]
enum Plan {
    #[choice(title = "Free, one project")]
    Free,
    Pro,
}

#[derive(Choice, Debug, PartialEq)]
enum Extra {
    Support,
    AuditLog,
}

#[test]
fn invoice() {
    let it = Invoice::declaration();
    assert_eq!(it.key(), "invoice");
    assert_eq!(
        it.request(),
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"How should we invoice you?","requestedSchema":{"type":"object","properties":{"email":{"type":"string","title":"Email","format":"email"},"plan":{"type":"string","title":"Plan","oneOf":[{"const":"free","title":"Free, one project"},{"const":"pro","title":"Pro"}]},"extras":{"type":"array","title":"Extras","description":"What else?","minItems":1,"items":{"type":"string","enum":["support","audit_log"]}},"seats":{"type":"integer","title":"Seats","minimum":1,"maximum":500,"default":1},"starts":{"type":"string","title":"Starts"},"rate":{"type":"number","title":"Rate","minimum":0.5,"maximum":10}},"required":["email","plan","extras","rate"]}}}"#
    );
    let v = Invoice::decode(
        r#"{"email":"a@b.c","plan":"pro","extras":["audit_log"],"rate":1,"starts":" "}"#,
    )
    .unwrap();
    assert_eq!(v.seats, 1);
    assert_eq!(v.starts, None);
    let e = Invoice::decode(r#"{"email":"a","plan":"pr","extras":[],"seats":501,"rate":0.1}"#)
        .unwrap_err();
    assert_eq!(
        e.to_string(),
        "email: must be an email address; plan: must be one of: free, pro; \
         extras: needs at least 1 of the choices; seats: must be at most 500; \
         rate: must be at least 0.5"
    );
}

/// Your payment provider account.
#[derive(Elicit)]
#[elicit(
    url = "/ui/set_api_key",
    message = "Please provide your API key to continue.",
    keep = "8h",
    fallback = "address"
)]
struct BillingKey {
    /// Secret key from the provider's dashboard
    #[secret]
    api_key: SecretString,
    #[secret(multiline)]
    certificate: Option<SecretString>,
    /// A name for this account
    #[elicit(max_length = 40)]
    label: Option<String>,
}

#[test]
fn page() {
    let it = BillingKey::declaration();
    let Mode::Page {
        name,
        keep,
        fallback,
        ..
    } = it.mode()
    else {
        panic!("{:?}", it.mode());
    };
    assert_eq!(name, "set_api_key");
    assert_eq!(keep, Keep::For(Duration::from_secs(8 * 3600)));
    assert_eq!(fallback, Fallback::Address);
    assert_eq!((it.schema(), it.request()), ("", ""));
    assert_eq!(it.message(), "Please provide your API key to continue.");

    let wrong = it
        .validate(r#"{"api_key":"sk-\u00e9\n1","certificate":null}"#)
        .unwrap_err();
    assert_eq!(wrong.to_string(), "api_key: must be on one line");
    let key = BillingKey::decode(r#"{"api_key":"sk-\u00e9","certificate":"a\nb"}"#).unwrap();
    assert_eq!(key.api_key.expose_secret(), "sk-é");
    assert_eq!(key.certificate.unwrap().expose_secret(), "a\nb");
    assert_eq!(key.label, None);
}

/// What is typed into a page can be written back, but for its secrets.
#[test]
fn a_value_is_written_without_its_secrets() {
    use mcp_elicit::declare::written;

    /// Your account.
    #[derive(Elicit)]
    #[elicit(url = "/ui/account")]
    struct Account {
        #[secret]
        key: SecretString,
        #[secret]
        other: Option<SecretString>,
        label: Option<String>,
    }
    let account = Account {
        key: "sk-1234".into(),
        other: Some("sk-5678".into()),
        label: Some("mine".into()),
    };
    assert_eq!(written::json(&account), r#"{"label":"mine"}"#);
    let invoice = Invoice {
        email: "a@b.c".into(),
        plan: Plan::Free,
        extras: vec![Extra::AuditLog, Extra::Support],
        seats: 7,
        starts: None,
        rate: 0.5,
    };
    let json = written::json(&invoice);
    assert_eq!(
        json,
        r#"{"email":"a@b.c","plan":"free","extras":["audit_log","support"],"seats":7,"rate":0.5}"#
    );
    assert_eq!(written::json(&Invoice::decode(&json).unwrap()), json);
}

/// Dates of every crate come back as they were.
#[test]
fn dates_are_written_as_they_are_read() {
    use mcp_elicit::declare::written;

    /// When?
    #[derive(Elicit, Debug, PartialEq)]
    struct When {
        a: jiff::civil::Date,
        b: jiff::Timestamp,
        c: chrono::NaiveDate,
        d: chrono::DateTime<chrono::FixedOffset>,
        e: chrono::DateTime<chrono::Utc>,
        f: time::Date,
        g: time::OffsetDateTime,
        h: url::Url,
    }
    let (date, time) = ("2025-04-07", "2025-04-07T01:02:03.040506-05:30");
    let json = format!(
        r#"{{"a":"{date}","b":"{time}","c":"{date}","d":"{time}","e":"{time}","f":"{date}","g":"{time}","h":"https://a.b/c?d"}}"#
    );
    let when = When::decode(&json).unwrap();
    assert_eq!(When::decode(&written::json(&when)).unwrap(), when);
}

#[test]
fn names_of_serde_count_in_forms() {
    macro_rules! forms {
        ($($form:ident: $case:literal;)*) => {
            $({
                /// Who travels?
                #[derive(Elicit, serde::Serialize, serde::Deserialize)]
                #[serde(crate = "mcp_elicit::serde", rename_all = $case)]
                struct $form {
                    first_name: String,
                    #[serde(rename = "Nick Name")]
                    nick: String,
                    #[serde(rename = "no")]
                    #[elicit(rename = "number")]
                    seat_no: u8,
                }
                let it = $form { first_name: "A".into(), nick: "B".into(), seat_no: 1 };
                let mut answer = json!(it);
                let number = answer.as_object_mut().unwrap().remove("no").unwrap();
                // What is said to us alone counts more.
                answer["number"] = number;
                let read = $form::decode(&answer.to_string()).unwrap();
                assert_eq!((&*read.first_name, &*read.nick, read.seat_no), ("A", "B", 1));
            })*
        };
    }
    forms! {
        Lower: "lowercase";
        Upper: "UPPERCASE";
        Pascal: "PascalCase";
        Camel: "camelCase";
        Snake: "snake_case";
        ScreamingSnake: "SCREAMING_SNAKE_CASE";
        Kebab: "kebab-case";
        ScreamingKebab: "SCREAMING-KEBAB-CASE";
    }
}

#[test]
fn nothing_of_a_secret_is_in_a_message() {
    /// Your account.
    #[derive(Elicit)]
    #[elicit(url = "/ui/account")]
    struct Account {
        #[secret]
        key: SecretString,
        #[elicit(max_length = 3)]
        label: String,
    }
    let wrong = Account::declaration().validate(r#"{"key":"MARK\nMARK","label":"MARK"}"#);
    let text = format!("{0} {0:?}", wrong.unwrap_err());
    assert!(!text.contains("MARK"), "{text}");
    let account = Account::decode(r#"{"key":"MARK","label":"a"}"#).unwrap();
    assert!(!format!("{:?}", account.key).contains("MARK"));
}
