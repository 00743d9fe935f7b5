//! U: a call whose client has gone is nobody's decision.

use std::sync::Mutex;
use std::time::Duration;

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
    let opened = || json!({ "account": { "action": "accept" } });
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
