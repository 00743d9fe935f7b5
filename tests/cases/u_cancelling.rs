//! U: a call whose client has gone is nobody's decision.

use std::sync::Mutex;
use std::time::Duration;

use mcp_elicit_tests::Browser;

use super::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Keeps what its handlers were told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

#[tools]
impl Told {
    /// Asks on a page and writes down what came of it.
    #[tool(asks(Account))]
    async fn connect(&self, cx: &Cx) -> Result<String, CallError> {
        let outcome = cx.ask::<Account>().outcome().await;
        let text = match &outcome {
            Ok(Answer::Accepted(_)) => "accepted".to_owned(),
            Ok(Answer::Declined) => "declined".to_owned(),
            Ok(Answer::Cancelled) => "cancelled".to_owned(),
            Err(no) => format!("{no:?}"),
        };
        self.0.lock().unwrap().push(text.clone());
        Ok(text)
    }

    /// Asks for a yes.
    #[tool]
    async fn agree(&self, cx: &Cx) -> Result<&'static str, CallError> {
        cx.confirm("Agree?").await?;
        Ok("agreed")
    }

    /// Asks nothing.
    #[tool]
    async fn plain(&self) -> &'static str {
        "plain"
    }
}

fn opened() -> Value {
    json!({ "account": { "action": "accept" } })
}

#[tokio::test]
async fn u_097_a_client_that_goes_away_decides_nothing() {
    let told = Told::default();
    let limits = Limits::default().hold(Duration::from_secs(20));
    let app = server()
        .limits(limits)
        .tools(told.clone())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let state = one.state();
    // The client goes while its call waits for the page, a hundred times.
    for _ in 0..100 {
        let held = client.retry("connect", json!({}), &state, opened());
        let held = tokio::time::timeout(Duration::from_millis(1), held).await;
        assert!(held.is_err(), "it was answered");
    }
    assert!(told.0.lock().unwrap().is_empty(), "{told:?}", told = told.0);
    // A notice that a call is cancelled is taken, and answers nothing.
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1, "_meta": client.meta() } });
    let got = client
        .raw("notifications/cancelled", None, notice.to_string())
        .await;
    assert_eq!((got.status.as_u16(), &*got.text), (202, ""));
    // The question is still open, and its answer is the first that the handler hears of.
    let no = json!({ "account": { "action": "decline" } });
    let got = client.retry("connect", json!({}), &one.state(), no).await;
    assert_eq!(got.first_text(), "declined", "{}", got.text);
    assert_eq!(*told.0.lock().unwrap(), ["declined"]);
}

#[tokio::test]
async fn what_waits_keeps_nothing_else_waiting() {
    let limits = Limits::default().hold(Duration::from_secs(20));
    let app = server()
        .limits(limits)
        .tools(Told::default())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    // Ten calls, each with a page of its own that it waits for.
    let (mut held, mut link) = (Vec::new(), String::new());
    for _ in 0..10 {
        let one = client.call("connect", json!({})).await;
        link = one.link("account");
        let client = client.clone();
        let retry = async move {
            client
                .retry("connect", json!({}), &one.state(), opened())
                .await
        };
        held.push(tokio::spawn(retry));
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let discovered = client.request("server/discover", None, json!({})).await;
    assert_eq!(discovered.status, 200);
    assert_eq!(client.call("plain", json!({})).await.first_text(), "plain");
    assert!(client.call("agree", json!({})).await.asks());
    assert!(held.iter().all(|it| !it.is_finished()));
    // One page that is done is the answer to all of them.
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    browser
        .submit(&link, &page, &[("key", "sk_live_4eC39HqL")])
        .await;
    for call in held {
        let call = tokio::time::timeout(Duration::from_secs(10), call).await;
        assert_eq!(call.unwrap().unwrap().first_text(), "accepted");
    }
}

#[tokio::test]
async fn questions_that_nobody_answers_do_not_pile_up() {
    let limits = Limits::default()
        .hold(Duration::from_secs(20))
        .held(5)
        .held_by_one(3);
    let app = server()
        .limits(limits)
        .tools(Told::default())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    // Forms take no place anywhere.
    for _ in 0..300 {
        assert!(client.call("agree", json!({})).await.asks());
    }
    let one = client.call("agree", json!({})).await;
    let yes = json!({ "confirm": accept(json!({ "confirm": true })) });
    let got = client.retry("agree", json!({}), &one.state(), yes).await;
    assert_eq!(got.first_text(), "agreed", "{}", got.text);
    // Retries whose client has gone give their places back: after a hundred there is one left.
    let state = client.call("connect", json!({})).await.state();
    for _ in 0..100 {
        let held = client.retry("connect", json!({}), &state, opened());
        let held = tokio::time::timeout(Duration::from_millis(1), held).await;
        assert!(held.is_err(), "it was answered");
    }
}
