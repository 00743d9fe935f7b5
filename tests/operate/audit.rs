//! Audit events: who did what with which credential, in its order.

use super::listen::{Log, Records};
use super::*;
use mcp_elicit::{AuditEvent, AuditKind};

/// An event as `kind principal/owner credential.name tool page`, with what is empty left out.
fn line(event: &AuditEvent) -> String {
    let kind = serde_json::to_value(event.kind).unwrap();
    let (who, whose) = (&event.principal.subject, &event.owner.subject);
    let who = if who == whose {
        who.clone()
    } else {
        format!("{who}/{whose}")
    };
    let name = if event.name.is_empty() {
        String::new()
    } else {
        format!(".{}", event.name)
    };
    let words = [
        kind.as_str().unwrap().to_owned(),
        who,
        format!("{}{name}", event.credential),
        event.tool.clone(),
        event.page.clone(),
        event.reason.to_owned(),
    ];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn lines(records: &Records) -> Vec<String> {
    records.take().iter().map(line).collect()
}

async fn app(records: &Records) -> App {
    server()
        .limits(quick())
        .audit(records.sink())
        .build()
        .await
        .unwrap()
}

/// Removes the credential on the page of what is kept.
async fn remove(browser: &mut Browser, credential: &str) -> Got {
    let page = browser.open("/ui").await;
    let form = page
        .text
        .split("<form")
        .find(|form| form.contains("/remove"))
        .unwrap();
    let hidden = |name: &str| {
        let tag = form
            .split("<input")
            .find(|tag| tag.contains(&format!("name=\"{name}\"")));
        let value = tag.unwrap().split("value=\"").nth(1).unwrap();
        value.split('"').next().unwrap().to_owned()
    };
    assert_eq!(hidden("credential"), credential);
    let fields = [":token", "credential", "name"].map(|name| (name.to_owned(), hidden(name)));
    browser.post("/ui/remove", &fields).await
}

#[tokio::test]
async fn alice_starts_and_bob_clicks() {
    let records = Records::default();
    let app = app(&records).await;
    let alice = Client::new(&app, "alice");
    let one = first(&alice, "connect").await;
    assert_eq!(lines(&records), ["asked alice account connect account"]);
    let link = one.link("account");

    // Bob is refused, however often, and the page stays alice's.
    let mut bob = Browser::new(&app);
    let page = bob.sign_in(&link, "bob").await;
    assert_eq!(page.status, 403);
    bob.submit(&link, &page, &[("key", KEY)]).await;
    let mismatch = "identity_mismatch bob/alice account connect account";
    assert_eq!(lines(&records), [mismatch, mismatch]);

    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    browser.submit(&link, &page, &[("key", KEY)]).await;
    assert_eq!(
        lines(&records),
        [
            "opened alice account connect account",
            "stored alice account connect account"
        ]
    );

    let done = alice
        .retry("connect", json!({}), &one.state(), accept("account"))
        .await;
    assert_eq!(done.first_text(), "connected");
    alice.call("connect", json!({})).await;
    let used = "used alice account connect account";
    assert_eq!(lines(&records), [used, used]);

    let removed = remove(&mut browser, "account").await;
    assert!(removed.status.is_redirection(), "{}", removed.text);
    assert_eq!(lines(&records), ["removed alice account"]);
    first(&alice, "connect").await;
    assert_eq!(lines(&records), ["asked alice account connect account"]);
}

#[tokio::test]
async fn a_decline_is_recorded_on_the_page_and_in_the_client() {
    let records = Records::default();
    let app = app(&records).await;
    let alice = Client::new(&app, "alice");
    let one = first(&alice, "connect").await;
    let link = one.link("account");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    browser.decline(&link, &page).await;
    let events = records.take();
    let [asked, opened, declined] = &events[..] else {
        panic!("{events:?}");
    };
    let kinds = [AuditKind::Asked, AuditKind::Opened, AuditKind::Declined];
    assert_eq!([asked.kind, opened.kind, declined.kind], kinds);
    // The retry that hears of it is no second decline.
    alice
        .retry("connect", json!({}), &one.state(), accept("account"))
        .await;
    assert_eq!(lines(&records), [""; 0]);

    let two = first(&alice, "connect").await;
    let no = json!({ "account": { "action": "decline" } });
    alice.retry("connect", json!({}), &two.state(), no).await;
    let declined = "declined alice account connect account";
    assert_eq!(
        lines(&records),
        ["asked alice account connect account", declined]
    );
    // To close a question is no decline, and a form is no credential.
    let three = first(&alice, "ask").await;
    let no = json!({ "trip": { "action": "decline" } });
    alice.retry("ask", json!({}), &three.state(), no).await;
    let four = first(&alice, "connect").await;
    let closed = json!({ "account": { "action": "cancel" } });
    alice
        .retry("connect", json!({}), &four.state(), closed)
        .await;
    assert_eq!(lines(&records), ["asked alice account connect account"]);
}

#[tokio::test]
async fn a_handler_that_removes_a_credential_is_recorded_with_its_reason() {
    let records = Records::default();
    let app = app(&records).await;
    let alice = Client::new(&app, "alice");
    let one = first(&alice, "connect").await;
    give(&app, "alice", &one.link("account")).await;
    records.take();
    let rejected = alice.call("drop_it", json!({ "how": "reject" })).await;
    assert!(rejected.asks(), "{}", rejected.text);
    let of = |kind, tool, reason| format!("{kind} alice account {tool} account{reason}");
    let used = of("used", "drop_it", "");
    let asked = of("asked", "drop_it", "");
    let removed = of("removed", "drop_it", " rejected");
    assert_eq!(lines(&records), [used.clone(), removed, asked]);
    give(&app, "alice", &rejected.link("account")).await;
    records.take();
    let forgotten = alice.call("drop_it", json!({ "how": "forget" })).await;
    assert_eq!(forgotten.first_text(), "dropped", "{}", forgotten.text);
    let removed = of("removed", "drop_it", " forgotten");
    assert_eq!(lines(&records), [used, removed]);
}

#[tokio::test]
async fn a_page_that_nobody_finished_is_told_of_once_with_its_time() {
    let records = Records::default();
    let limits = quick().lifetime(Duration::from_millis(20));
    let server = server().limits(limits).audit(records.sink());
    let app = server.build().await.unwrap();
    first(&Client::new(&app, "alice"), "connect").await;
    let asked = records.take().remove(0);
    tokio::time::sleep(Duration::from_millis(40)).await;
    for user in ["bob", "bob"] {
        first(&Client::new(&app, user), "connect").await;
    }
    let events = records.take();
    let told: Vec<_> = events.iter().map(line).collect();
    let [asked_by_bob, expired] = [
        "asked bob account connect account",
        "expired alice account connect account",
    ];
    assert_eq!(told, [asked_by_bob, expired, asked_by_bob]);
    let lived = events[1].time.since(asked.time);
    assert!(
        lived >= Duration::from_millis(20) && lived < Duration::from_millis(40),
        "{lived:?}"
    );
    assert_eq!(events[1].ticket, asked.ticket);
}

#[tokio::test]
async fn somebody_elses_state_is_recorded_with_its_reason() {
    let records = Records::default();
    let app = app(&records).await;
    let one = first(&Client::new(&app, "alice"), "ask").await;
    let bob = Client::new(&app, "bob");
    bob.retry("ask", json!({}), &one.state(), trip()).await;
    bob.retry("ask", json!({}), "e1.nonsense", trip()).await;
    assert_eq!(
        lines(&records),
        [
            "state_refused bob ask other_principal",
            "state_refused bob ask malformed"
        ]
    );
}

#[tokio::test]
async fn credentials_of_one_kind_are_told_apart() {
    let records = Records::default();
    let app = app(&records).await;
    let alice = Client::new(&app, "alice");
    let arguments = json!({ "who": "prod", "end": "" });
    let one = alice.call("travel", arguments.clone()).await;
    let two = alice
        .retry("travel", arguments.clone(), &one.state(), trip())
        .await;
    let key = "account.prod";
    give(&app, "alice", &two.link(key)).await;
    alice
        .retry("travel", arguments, &two.state(), accept(key))
        .await;
    let all = ["asked", "opened", "stored", "used"];
    let all = all.map(|kind| format!("{kind} alice account.prod travel account"));
    assert_eq!(lines(&records), all);
}

#[tokio::test]
async fn a_record_is_a_flat_object_for_a_file() {
    let records = Records::default();
    let app = app(&records).await;
    first(&Client::new(&app, "alice"), "connect").await;
    let event = records.take().remove(0);
    assert_eq!(event.ticket.len(), 6);
    assert_eq!(
        serde_json::to_value(&event).unwrap(),
        json!({
            "time": event.time.as_millis(),
            "kind": "asked",
            "principal": { "tenant": "", "issuer": "dev", "subject": "alice" },
            "owner": { "tenant": "", "issuer": "dev", "subject": "alice" },
            "credential": "account",
            "name": "",
            "tool": "connect",
            "page": "account",
            "ticket": event.ticket,
            "reason": "",
        })
    );
}

#[tokio::test]
async fn a_sink_that_panics_stops_nothing() {
    let (log, _guard) = Log::listen();
    let server = server()
        .limits(quick())
        .audit(|event| panic!("no room for {}", event.credential));
    let app = server.build().await.unwrap();
    let alice = Client::new(&app, "alice");
    let one = first(&alice, "connect").await;
    let saved = give(&app, "alice", &one.link("account")).await;
    assert!(saved.status.is_redirection(), "{}", saved.text);
    let done = alice
        .retry("connect", json!({}), &one.state(), accept("account"))
        .await;
    assert_eq!(done.first_text(), "connected");
    assert_eq!(log.lines("the record is lost").len(), 4);
}

/// A key that is good for a moment.
#[derive(Elicit)]
#[elicit(url = "/ui/brief", message = "Please give your key.", keep = "1s")]
struct Brief {
    #[secret]
    key: SecretString,
}

/// Needs it.
#[tool]
async fn brief(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<Brief>().await?.key);
    Ok("done".into())
}

#[tokio::test]
async fn a_credential_whose_time_is_over_is_told_of_once() {
    let records = Records::default();
    let server = server().tools(toolset![brief]);
    let app = server.limits(quick()).audit(records.sink()).build();
    let app = app.await.unwrap();
    let alice = Client::new(&app, "alice");
    let link = first(&alice, "brief").await.link("brief");
    assert_eq!(give(&app, "alice", &link).await.status, 303);
    let stored = records.take().pop().unwrap();
    assert_eq!(stored.kind, AuditKind::Stored);
    tokio::time::sleep(Duration::from_millis(1050)).await;
    for user in ["bob", "bob"] {
        first(&Client::new(&app, user), "connect").await;
    }
    let events = records.take();
    let told: Vec<_> = events.iter().map(line).collect();
    let asked = "asked bob account connect account";
    assert_eq!(told, [asked, "expired alice brief kept", asked]);
    // It was stored a moment after its page was sent.
    let lived = events[1].time.since(stored.time);
    assert!((1000..1050).contains(&lived.as_millis()), "{lived:?}");
    assert_eq!((&*events[1].page, &*events[1].ticket), ("", ""));
}
