//! I: what people do with a question, told apart.

use std::time::Duration;

use crate::operate::listen::Metrics;

use super::*;

/// Who is it for?
#[derive(Elicit, Debug)]
struct Guest {
    name: String,
}

/// Tells what became of the question.
#[tool]
async fn tell(cx: &Cx) -> Result<String, CallError> {
    Ok(match cx.ask::<Guest>().outcome().await? {
        Answer::Accepted(guest) => format!("accepted {}", guest.name),
        Answer::Declined => "declined".to_owned(),
        Answer::Cancelled => "cancelled".to_owned(),
    })
}

/// What `tell` says to an answer.
async fn told(answer: Value) -> Got {
    let app = server().tools(toolset![tell]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("tell", json!({})).await;
    client
        .retry("tell", json!({}), &one.state(), json!({ "guest": answer }))
        .await
}

/// What may stand beside an action that says all.
const BESIDE: [&str; 7] = [
    "",
    r#","content":null"#,
    r#","content":{}"#,
    r#","content":{"name":42}"#,
    r#","content":{"name":"A"}"#,
    r#","content":[]"#,
    r#","content":"no""#,
];

#[tokio::test]
async fn i_041_a_cancelled_question_is_not_checked() {
    for content in BESIDE {
        let answer = serde_json::from_str(&format!(r#"{{"action":"cancel"{content}}}"#)).unwrap();
        let got = told(answer).await;
        assert_eq!(got.first_text(), "cancelled", "{content}: {}", got.text);
    }
}

#[tokio::test]
async fn i_042_a_refused_question_is_not_checked() {
    for content in BESIDE {
        let answer = serde_json::from_str(&format!(r#"{{"action":"decline"{content}}}"#)).unwrap();
        let got = told(answer).await;
        assert_eq!(got.first_text(), "declined", "{content}: {}", got.text);
    }
}

#[tokio::test]
async fn i_043_how_long_a_refusal_took_is_measured() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let desk = Desk::<Guest>::open().await;
    let mut texts = Vec::new();
    for wait in [2, 400] {
        let one = desk.ask().await;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let got = desk.reply(&one, json!({ "action": "decline" })).await;
        assert!(got.is_error(), "{}", got.text);
        texts.push(got.first_text().to_owned());
    }
    assert_eq!(desk.passed(), 0);
    assert_eq!(texts[0], texts[1]);
    assert!(
        texts[0].contains("declined by the user or the client"),
        "{texts:?}"
    );
    let series =
        r#"mcp_elicit_answer_seconds{feature="tool",name="ask",mode="form",outcome="declined"}"#;
    let [program, person] = metrics.values(series)[..] else {
        panic!("{:?}", metrics.series());
    };
    assert!(program < 0.4 && person >= 0.4, "{program} {person}");
}

#[tokio::test]
async fn i_044_an_unknown_action_is_none() {
    for action in [
        json!("reject"),
        json!("message"),
        json!("Accept"),
        json!("accept "),
        json!("ACCEPT"),
        json!(""),
        json!(true),
        json!(null),
        json!(["accept"]),
        json!({ "accept": {} }),
    ] {
        let got = told(json!({ "action": action, "content": { "name": "A" } })).await;
        assert_eq!(got.code(), -32602, "{action}: {}", got.text);
    }
    // Two actions are none either, in whatever order.
    for both in [
        r#"{"action":"decline","action":"accept","content":{"name":"A"}}"#,
        r#"{"action":"accept","action":"decline","content":{"name":"A"}}"#,
    ] {
        let app = server().tools(toolset![tell]).build().await.unwrap();
        let client = Client::new(&app, "alice");
        let one = client.call("tell", json!({})).await;
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "tell",
            "requestState": one.state(), "_meta": client.meta(), "inputResponses": { "guest": "BOTH" } } });
        let body = body.to_string().replace("\"BOTH\"", both);
        let got = client.raw("tools/call", Some("tell"), body).await;
        assert!(got.code() != 0 || got.asks(), "{}", got.text);
    }
}
