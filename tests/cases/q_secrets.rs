//! Q: a secret is typed on a page of the server, or nowhere.

use crate::operate::listen::Log;

use super::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
    label: Option<String>,
}

/// Asks for a key.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    drop(account.key);
    Ok(account.label.unwrap_or_default())
}

/// Asks for a key without having said so.
#[tool]
async fn surprise(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok(())
}

/// Asks for a name and a key at once.
#[tool]
async fn both(cx: &Cx) -> Result<(), CallError> {
    let (_, account) = try_join!(cx.ask::<Who>(), cx.ask::<Account>())?;
    drop(account.key);
    Ok(())
}

/// Who are you?
#[derive(Elicit, Debug)]
struct Who {
    name: String,
}

#[test]
fn q_076_a_secret_in_a_form_does_not_compile() {
    for (case, token) in [
        ("secret_in_form", "secret"),
        ("secret_string_in_form", "SecretString"),
        ("optional_secret_string_in_form", "Option<SecretString>"),
        ("alias_of_secret_in_form", "Hidden"),
        ("secret_on_string_in_form", "secret"),
    ] {
        let words = ["#[elicit(url = \"/ui/name\")]", "elicit::1"];
        refused(&format!("secrets/{case}"), token, &words);
    }
}

#[test]
fn q_077_what_reads_like_a_secret_needs_a_reason() {
    for (case, token) in [
        ("password", "password"),
        ("db_passwd", "db_passwd"),
        ("api_key", "api_key"),
        ("client_secret", "client_secret"),
        ("access_token", "access_token"),
        ("private_key", "private_key"),
        ("cvv", "cvv"),
        ("pin", "pin"),
        ("card_number", "card_number"),
        ("otp", "otp"),
        ("newpassword", "newPassword"),
        ("password_confirmation", "password_confirmation"),
        ("raw_identifier", "r#token"),
    ] {
        let words = ["reads like a credential", "not_secret", "elicit::2"];
        refused(&format!("names/{case}"), token, &words);
    }
    // By another name, a title and a type that only looks different.
    for case in ["renamed_to_token", "titled_password", "alias_of_string"] {
        let said = fs::read_to_string(format!("ui/names/{case}.stderr")).unwrap();
        assert!(said.contains("reads like a credential"), "{said}");
    }
    refused(
        "secrets/password_format",
        "\"password\"",
        &["no form masks what is typed"],
    );
    // With a reason it compiles.
    /// Where do you sit?
    #[derive(Elicit)]
    struct Seat {
        #[elicit(not_secret = "printed on the ticket")]
        pin: u16,
    }
    assert!(Seat::decode(r#"{"pin":1}"#).is_ok_and(|it| it.pin == 1));
}

#[tokio::test]
async fn q_078_what_was_answered_is_not_logged() {
    const MARK: &str = "mark-4eC39HqLyj";
    let (log, _guard) = Log::listen();
    let desk = Desk::<Who>::open().await;
    let mut got = desk.ask().await;
    for content in [
        json!({ "name": [MARK] }),
        json!({ MARK: MARK }),
        json!({ "name": MARK }),
    ] {
        got = desk.reply(&got, accept(content)).await;
    }
    assert!(got.first_text().contains(MARK), "{}", got.text);
    for action in ["decline", "cancel", MARK] {
        let answer = json!({ "action": action, "content": { "name": MARK } });
        desk.reply(&desk.ask().await, answer).await;
    }
    desk.client.call("ask", json!({ MARK: MARK })).await;
    desk.client
        .call_with("ask", json!({ "requestState": MARK }))
        .await;
    let text = log.text();
    assert!(!text.contains(MARK), "{text}");
    // What became of it is there: the question, and how long it took.
    for outcome in ["accepted", "declined", "cancelled"] {
        let lines = log.lines(&format!("outcome=\"{outcome}\""));
        let tells = |line: &String| line.contains("who") && line.contains("after_ms=");
        assert!(lines.iter().any(tells), "{outcome}: {text}");
    }
}

#[tokio::test]
async fn q_079_who_opens_no_links_is_asked_for_no_secret() {
    let tools = toolset![connect, surprise, both];
    let app = server().tools(tools).build().await.unwrap();
    for capabilities in [
        json!({}),
        json!({ "elicitation": {} }),
        json!({ "elicitation": { "form": {} } }),
    ] {
        let client = Client::new(&app, "alice").can(capabilities);
        for tool in ["connect", "surprise", "both"] {
            let got = client.call(tool, json!({})).await;
            assert_eq!(
                (got.status.as_u16(), got.code()),
                (400, -32021),
                "{}",
                got.text
            );
            assert!(!got.text.contains("requestedSchema"), "{}", got.text);
        }
        // A secret that is given unasked is not taken.
        let answers = json!({ "account": accept(json!({ "key": "sk_live_1" })) });
        let got = client
            .call_with("connect", json!({ "inputResponses": answers }))
            .await;
        assert_eq!(got.code(), -32021, "{}", got.text);
    }
    // There is no form of it, in any revision.
    let account = Account::declaration();
    assert_eq!((account.schema(), account.request()), ("", ""));
    let mut out = Vec::new();
    let _ = account.append_first_schema(&mut out);
    assert!(!String::from_utf8(out).unwrap().contains("key"));
}
