//! `Server::verify`: a credential is checked before it is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits, Server};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::json;

use super::{Account, accept, give, whose};

const GOOD: &str = "sk_good_4eC39HqLyjWDarj";
const BAD: &str = "sk_bad_4eC39HqLyjWDarjt";

/// Stands for a provider: it knows what begins with `sk_good`.
#[derive(Default)]
struct Provider {
    asked: AtomicUsize,
}

impl Provider {
    async fn knows(&self, key: &str) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(1)).await;
        key.starts_with("sk_good")
    }
}

fn checked(provider: &Arc<Provider>) -> Server {
    let provider = Arc::clone(provider);
    server()
        .tools(toolset![whose])
        .verify::<Account>(async move |value, _| {
            match provider.knows(value.api_key.expose_secret()).await {
                true => Ok(()),
                false => Err(Invalid::field("api_key", "is not known to the provider")),
            }
        })
}

/// One page that waits for alice.
struct Waiting {
    app: App,
    client: Client,
    link: String,
    state: String,
}

impl Waiting {
    async fn at(server: Server) -> Self {
        let app = server.build().await.unwrap();
        let client = Client::new(&app, "alice");
        let one = client.call("whose", json!({})).await;
        Self {
            link: one.link("account"),
            state: one.state(),
            client,
            app,
        }
    }

    async fn retry(&self) -> Got {
        self.client
            .retry("whose", json!({}), &self.state, accept())
            .await
    }
}

#[tokio::test]
async fn a_key_that_the_check_refuses_is_not_stored() {
    let provider = Arc::default();
    let it = Waiting::at(checked(&provider)).await;
    let mut browser = Browser::new(&it.app);
    let page = browser.sign_in(&it.link, "alice").await;
    let fields = [("api_key", BAD), ("label", "my label")];
    let refused = browser.submit(&it.link, &page, &fields).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let beside = "id=\"f0-error\"><span class=\"unseen\">Error: </span><span class=\"reason\">is not known to the \
                  provider</span>";
    for part in [beside, "value=\"my label\"", "Nothing is saved yet"] {
        assert!(
            refused.text.contains(part),
            "{part} is not in {}",
            refused.text
        );
    }
    assert!(!refused.text.contains(BAD), "{}", refused.text);
    assert!(it.retry().await.asks());

    // Mended on the same page.
    let fields = [("api_key", GOOD), ("label", "my label")];
    let saved = browser.submit(&it.link, &refused, &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert_eq!(it.retry().await.first_text(), "Darj my label");
    assert_eq!(provider.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn the_check_is_told_who_gives_the_key() {
    let server = server()
        .tools(toolset![whose])
        .verify::<Account>(async |_, principal| match principal.subject() {
            "alice" => Ok(()),
            other => Err(Invalid::new(format!("not for {other}"))),
        });
    let it = Waiting::at(server).await;
    assert_eq!(give(&it.app, "alice", &it.link, BAD).await.status, 303);
    let bob = it.client.as_user("bob").call("whose", json!({})).await;
    let refused = give(&it.app, "bob", &bob.link("account"), GOOD).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("not for bob"), "{}", refused.text);
}

#[tokio::test]
async fn a_text_that_quotes_the_secret_is_replaced() {
    let server = server()
        .tools(toolset![whose])
        .verify::<Account>(async |value, _| {
            let key = value.api_key.expose_secret();
            Err(Invalid::field("api_key", format!("{key} is revoked"))
                .and(Invalid::new(format!("no account has {key}"))))
        });
    let it = Waiting::at(server).await;
    let refused = give(&it.app, "alice", &it.link, BAD).await;
    assert_eq!(refused.status, 422);
    assert!(!refused.text.contains(BAD), "{}", refused.text);
    assert!(
        refused.text.contains("was not accepted"),
        "{}",
        refused.text
    );
}

/// What a page says when its check failed, and that nothing was stored by then.
async fn cannot_be_checked(it: &Waiting) {
    let started = Instant::now();
    let got = give(&it.app, "alice", &it.link, GOOD).await;
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(got.status, 503, "{}", got.text);
    assert!(
        got.text.contains("could not be checked just now"),
        "{}",
        got.text
    );
    assert!(!got.text.contains(GOOD) && got.text.contains("value=\"main\""));
    assert!(it.retry().await.asks());
}

fn quick() -> Limits {
    Limits::default()
        .hold(Duration::ZERO)
        .verify(Duration::from_millis(100))
}

#[tokio::test]
async fn a_check_that_takes_too_long_stores_nothing() {
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    let server = server()
        .limits(quick())
        .tools(toolset![whose])
        .verify::<Account>(async move |_, _| {
            if count.fetch_add(1, Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            Ok(())
        });
    let it = Waiting::at(server).await;
    cannot_be_checked(&it).await;
    assert_eq!(give(&it.app, "alice", &it.link, GOOD).await.status, 303);
    assert_eq!(it.retry().await.first_text(), "Darj main");
    assert_eq!(tries.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_check_that_blocks_its_thread_is_not_waited_for() {
    let server = server()
        .limits(quick())
        .tools(toolset![whose])
        .verify::<Account>(async |_, _| {
            std::thread::sleep(Duration::from_secs(1));
            Ok(())
        });
    cannot_be_checked(&Waiting::at(server).await).await;
}

#[tokio::test]
async fn a_check_that_panics_stores_nothing() {
    let server = server()
        .tools(toolset![whose])
        .verify::<Account>(async |_, _| panic!("the provider's answer was odd"));
    cannot_be_checked(&Waiting::at(server).await).await;
}

#[tokio::test]
async fn checks_are_limited_in_number() {
    let under_way = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (count, top) = (Arc::clone(&under_way), Arc::clone(&most));
    let limits = Limits::default().hold(Duration::ZERO).verifying(1);
    let server = server()
        .limits(limits)
        .tools(toolset![whose])
        .verify::<Account>(async move |_, _| {
            top.fetch_max(1 + count.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
            count.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        });
    let it = Waiting::at(server).await;
    let bob = it.client.as_user("bob").call("whose", json!({})).await;
    let other = bob.link("account");
    let (one, two) = tokio::join!(
        give(&it.app, "alice", &it.link, GOOD),
        give(&it.app, "bob", &other, GOOD)
    );
    // Each waited for its turn.
    assert_eq!((one.status.as_u16(), two.status.as_u16()), (303, 303));
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

/// A form.
#[derive(Elicit)]
struct Plain {
    name: String,
}

#[tokio::test]
async fn a_check_of_a_form_and_a_second_one_are_told_at_start() {
    let server = server()
        .tools(toolset![whose])
        .verify::<Plain>(async |value, _| match value.name.is_empty() {
            true => Err(Invalid::new("empty")),
            false => Ok(()),
        })
        .verify::<Account>(async |_, _| Ok(()))
        .verify::<Account>(async |_, _| Ok(()));
    let error = server.build().await.unwrap_err();
    let problems: Vec<_> = error.problems().collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("`plain`, which has no page"));
    assert!(problems[1].contains("given twice for `account`"));
}

/// Another account on the same page.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Other {
    #[secret]
    key: SecretString,
}

#[tokio::test]
async fn a_checked_type_counts_as_one_with_a_page() {
    let other = server()
        .tools(toolset![whose])
        .verify::<Other>(async |it, _| {
            assert!(!it.key.expose_secret().is_empty());
            Ok(())
        });
    let error = other.build().await.unwrap_err().to_string();
    assert!(
        error.contains("two types have the page `/ui/account`"),
        "{error}"
    );
}

/// Another type, first met in a call, that would fill the rows of [`Account`] from a page of its own.
#[derive(Elicit)]
#[elicit(
    url = "/ui/elsewhere",
    key = "account",
    message = "Please give the key."
)]
struct Elsewhere {
    #[secret]
    api_key: SecretString,
}

/// Does not say that it asks.
#[tool]
async fn sneaks(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<Elsewhere>().await?.api_key);
    Ok("stored".into())
}

#[tokio::test]
async fn no_other_page_fills_the_row_of_what_is_checked() {
    let provider = Arc::new(Provider::default());
    let server = checked(&provider).tools(toolset![sneaks]);
    let app = server.build().await.unwrap();
    let got = Client::new(&app, "alice").call("sneaks", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);

    // Nor does one of another build of the server, whose page has another name.
    let store = mcp_elicit::store::MemoryStore::new();
    let other = mcp_elicit_tests::server()
        .store(store.clone())
        .tools(toolset![sneaks]);
    let other = other.build().await.unwrap();
    let link = Client::new(&other, "alice").call("sneaks", json!({})).await;
    let link = link.link("account");
    let app = checked(&provider).store(store).build().await.unwrap();
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    let refused = browser.submit(&link, &page, &[("api_key", BAD)]).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let saved = browser.submit(&link, &page, &[("api_key", GOOD)]).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert_eq!(provider.asked.load(Ordering::SeqCst), 2);
}
