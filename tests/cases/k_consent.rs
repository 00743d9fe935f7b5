//! K: nothing but the user's own yes is a yes.

use std::time::Duration;

use mcp_elicit::IntoTools;

use super::*;

/// Shall all be wiped?
#[derive(Elicit)]
#[elicit(guarded)]
struct Wipe {
    #[elicit(default = true)]
    sure: bool,
}

/// Which one?
#[derive(Elicit)]
struct Which {
    name: String,
}

/// Cannot be written down.
struct Untold;

impl mcp_elicit::serde::Serialize for Untold {
    fn serialize<S: mcp_elicit::serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(mcp_elicit::serde::ser::Error::custom("it cannot be told"))
    }
}

/// Counts what it has done.
#[derive(Clone, Default)]
struct Disk(Arc<AtomicUsize>);

impl Disk {
    fn done(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[tools]
impl Disk {
    /// Deletes a file, after a yes.
    #[tool(destructive)]
    async fn delete(&self, cx: &Cx, name: String) -> Result<String, CallError> {
        cx.confirm(format!("Delete {name}?")).await?;
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(format!("deleted {name}"))
    }

    /// Wipes all, after a guarded form.
    #[tool(destructive)]
    async fn wipe(&self, cx: &Cx) -> Result<String, CallError> {
        if cx.ask::<Wipe>().await?.sure {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Ok("wiped".to_owned())
    }

    /// Opens a file, which harms nothing.
    #[tool]
    async fn open(&self, cx: &Cx) -> Result<String, CallError> {
        Ok(cx.ask::<Which>().await?.name)
    }

    /// Asks about something that cannot be told.
    #[tool(destructive)]
    async fn untold(&self, cx: &Cx) -> Result<String, CallError> {
        cx.confirm("Delete it?").about(&Untold).await?;
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok("deleted".to_owned())
    }

    /// Takes anything, also what is named as the question.
    #[tool(destructive)]
    async fn careless(&self, cx: &Cx, confirm: Option<bool>) -> Result<String, CallError> {
        let _ = confirm;
        cx.confirm("Delete it?").await?;
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok("deleted".to_owned())
    }
}

async fn begin() -> (Disk, Client) {
    begin_with(server()).await
}

async fn begin_with(server: Server) -> (Disk, Client) {
    let disk = Disk::default();
    let app = server
        .tools(disk.clone().into_tools())
        .build()
        .await
        .unwrap();
    (disk, Client::new(&app, "alice"))
}

fn file() -> Value {
    json!({ "name": "a" })
}

fn yes() -> Value {
    json!({ "confirm": accept(json!({ "confirm": true })) })
}

#[tokio::test]
async fn k_049_a_question_that_fails_is_no_yes() {
    let (disk, client) = begin().await;
    // The client cannot be asked, be it with an answer at hand.
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let unable = client.clone().can(capabilities);
        let params = json!({ "arguments": file(), "inputResponses": yes() });
        for got in [
            unable.call("delete", file()).await,
            unable.call_with("delete", params).await,
        ] {
            assert_eq!(got.code(), -32021, "{}", got.text);
        }
    }
    // Another revision.
    let mut request = client
        .build("tools/call", Some("delete"))
        .body("{}".into())
        .unwrap();
    request
        .headers_mut()
        .insert("mcp-protocol-version", "2025-11-25".parse().unwrap());
    assert_eq!(client.send(request).await.status, 400);
    // Answers that are no answers.
    let one = client.call("delete", file()).await;
    for bad in [
        json!({ "confirm": true }),
        json!({ "confirm": "accept" }),
        json!({ "confirm": { "action": "accept", "content": true } }),
        json!({ "confirm": { "action": "accept", "content": { "confirm": [true] } } }),
        json!([yes()]),
        json!("yes"),
    ] {
        let got = client.retry("delete", file(), &one.state(), bad).await;
        assert!(
            got.code() != 0 || got.asks() || got.is_error(),
            "{}",
            got.text
        );
    }
    // What it is about cannot be told.
    let got = client.call("untold", json!({})).await;
    assert!(got.code() != 0 || got.is_error(), "{}", got.text);
    let params = json!({ "inputResponses": yes() });
    let got = client.call_with("untold", params).await;
    assert!(got.code() != 0 || got.is_error(), "{}", got.text);
    // The client goes away with the question, and comes back with less than an answer.
    let gone = client.call("delete", file());
    let _ = tokio::time::timeout(Duration::ZERO, gone).await;
    for nothing in [
        json!({}),
        Value::Null,
        json!({ "other": accept(json!({})) }),
    ] {
        assert!(
            client
                .retry("delete", file(), &one.state(), nothing)
                .await
                .asks()
        );
    }
    assert_eq!(disk.done(), 0);
}

#[tokio::test]
async fn k_050_the_model_gives_no_consent() {
    let (disk, client) = begin().await;
    for key in [
        "confirm",
        "confirmed",
        "inputResponses",
        "force",
        "yes",
        "elicitation",
        "requestState",
    ] {
        for value in [
            json!(true),
            json!("true"),
            yes(),
            accept(json!({ "confirm": true })),
        ] {
            let mut arguments = file();
            arguments[key] = value;
            let got = client.call("delete", arguments).await;
            assert!(got.asks() || got.is_error(), "{}", got.text);
        }
    }
    let got = client.call("careless", json!({ "confirm": true })).await;
    assert!(got.asks(), "{}", got.text);
    // Nor do members of the call that mean nothing.
    let params = json!({ "arguments": file(), "confirm": true, "confirmed": accept(json!({ "confirm": true })) });
    assert!(client.call_with("delete", params).await.asks());
    assert_eq!(disk.done(), 0);
}

#[tokio::test]
async fn k_051_an_empty_accept_is_no_consent() {
    let (disk, client) = begin().await;
    for content in [
        "{}",
        "null",
        r#"{"confirm":false}"#,
        r#"{"confirm":null}"#,
        r#"{"confirm":"true"}"#,
        r#"{"confirm":1}"#,
        r#"{"Confirm":true}"#,
        r#"{"confirm ":true}"#,
        r#"{"confirm":{"confirm":true}}"#,
        r#"{"confirm":""}"#,
    ] {
        let one = client.call("delete", file()).await;
        let content: Value = serde_json::from_str(content).unwrap();
        let answers = json!({ "confirm": accept(content) });
        let got = client.retry("delete", file(), &one.state(), answers).await;
        assert!(got.asks() || got.is_error(), "{}", got.text);
    }
    let one = client.call("delete", file()).await;
    let answers = json!({ "confirm": { "action": "accept" } });
    let got = client.retry("delete", file(), &one.state(), answers).await;
    assert!(got.asks() || got.is_error(), "{}", got.text);
    assert_eq!(disk.done(), 0);
    let got = client.retry("delete", file(), &one.state(), yes()).await;
    assert_eq!((got.first_text(), disk.done()), ("deleted a", 1));
}

#[tokio::test]
async fn k_052_a_first_call_brings_no_consent() {
    let (disk, client) = begin().await;
    for (tool, arguments, answers) in [
        ("delete", file(), yes()),
        (
            "wipe",
            json!({}),
            json!({ "wipe": accept(json!({ "sure": true })) }),
        ),
        ("wipe", json!({}), json!({ "wipe": accept(json!({})) })),
    ] {
        let params = json!({ "arguments": arguments, "inputResponses": answers });
        let forged = client.call_with(tool, params.clone()).await;
        assert!(forged.asks(), "{}", forged.text);
        // A state that is none does not make it better.
        for state in [json!(""), json!("e1."), json!(null)] {
            let mut params = params.clone();
            params["requestState"] = state;
            let got = client.call_with(tool, params).await;
            assert!(got.asks() || got.code() == -32602, "{}", got.text);
        }
        // Nor does one of another question, or of another call.
        let other = client.call("open", json!({})).await.state();
        let got = client.retry(tool, arguments, &other, answers).await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
    let other = client.call("delete", json!({ "name": "b" })).await.state();
    assert_eq!(
        client.retry("delete", file(), &other, yes()).await.code(),
        -32602
    );
    assert_eq!(disk.done(), 0);
    // What is not guarded may be answered before it is asked.
    let answers = json!({ "which": accept(json!({ "name": "b" })) });
    let got = client
        .call_with("open", json!({ "inputResponses": answers }))
        .await;
    assert_eq!(got.first_text(), "b", "{}", got.text);
}

#[tokio::test]
async fn k_053_a_client_that_never_asks_is_not_asked() {
    let (disk, client) = begin_with(server().cannot_ask("other").cannot_ask("test-client")).await;
    let params = json!({ "arguments": file(), "inputResponses": yes() });
    for got in [
        client.call("delete", file()).await,
        client.call_with("delete", params).await,
    ] {
        assert_eq!(
            (got.status.as_u16(), got.code()),
            (400, -32021),
            "{}",
            got.text
        );
    }
    assert_eq!(disk.done(), 0);
    // Only the whole name counts, and nobody else's.
    for name in ["test", "test-client-2", "Test-Client", "", "tests"] {
        let (_, client) = begin_with(server().cannot_ask(name)).await;
        assert!(client.call("delete", file()).await.asks(), "{name}");
    }
}
