//! The whole contract of `once`: whatever is repeated, wherever, and whatever dies in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{App, IntoTools, Keyring, Limits, Server, UnixTime};
use mcp_elicit_tests::Client;
use serde_json::{Value, json};

/// How many?
#[derive(Elicit)]
struct Amount {
    #[elicit(min = 1, max = 9)]
    amount: u8,
}

/// What was done, and how long it takes.
#[derive(Clone, Default)]
struct Bank {
    paid: Arc<AtomicUsize>,
    /// In milliseconds.
    slow: Arc<AtomicU64>,
}

impl Bank {
    async fn pay(&self) -> usize {
        let paid = self.paid.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(self.slow.load(Ordering::SeqCst))).await;
        paid
    }

    fn paid(&self) -> usize {
        self.paid.load(Ordering::SeqCst)
    }
}

#[tools]
impl Bank {
    /// Asks, then pays, then asks again.
    #[tool]
    async fn ask(&self, cx: &Cx) -> Result<String, CallError> {
        let it = cx.ask::<Amount>().await?;
        let n = cx.once("pay", async |_| Ok(self.pay().await)).await?;
        cx.confirm("Go on?").await?;
        Ok(format!("{} {n}", it.amount))
    }

    /// Asks, then pays, and does so again after a crash.
    #[tool]
    async fn again(&self, cx: &Cx) -> Result<String, CallError> {
        cx.ask::<Amount>().await?;
        let pay = cx.once("pay", async |_| Ok(self.pay().await));
        Ok(pay.retry_after_crash().await?.to_string())
    }

    /// Pays one invoice.
    #[tool]
    async fn invoice(&self, cx: &Cx, number: u32) -> Result<String, CallError> {
        let pay = cx.once("pay", async |_| Ok(self.pay().await)).by(number);
        Ok(pay.await?.to_string())
    }
}

/// The same tool by a handler that gives it no time.
struct Hasty(Bank);

#[tools]
impl Hasty {
    /// Pays one invoice.
    #[tool]
    async fn invoice(&self, cx: &Cx, number: u32) -> Result<String, CallError> {
        let pay = cx.once("pay", async |_| Ok(self.0.pay().await)).by(number);
        match tokio::time::timeout(Duration::from_millis(20), pay).await {
            Ok(paid) => Ok(paid?.to_string()),
            Err(_) => Err("no time".into()),
        }
    }
}

/// The same tool by a handler that keeps words.
struct Worded(Bank);

#[tools]
impl Worded {
    /// Pays one invoice.
    #[tool]
    async fn invoice(&self, cx: &Cx, number: u32) -> Result<String, CallError> {
        let pay = cx.once("pay", async |_| Ok(format!("paid {}", self.0.pay().await)));
        pay.by(number).await
    }
}

/// Instances over one store, with a clock that is theirs alone.
#[derive(Clone, Default)]
struct World {
    bank: Bank,
    store: MemoryStore,
    /// Seconds by which the clock is ahead.
    ahead: Arc<AtomicU64>,
}

impl World {
    async fn app(&self, keys: Keyring) -> App {
        self.with_tools(keys, self.bank.clone()).await
    }

    async fn with_tools(&self, keys: Keyring, tools: impl IntoTools) -> App {
        let limits = Limits::default().effect(Duration::from_secs(20)).rounds(20);
        let server = Server::new("test", "1.0.0")
            .store(self.store.clone())
            .keyring(keys)
            .auth(mcp_elicit::auth::DevUsers)
            .limits(limits)
            .tools(tools);
        let ahead = Arc::clone(&self.ahead);
        let now = move || UnixTime::now().after(Duration::from_secs(ahead.load(Ordering::SeqCst)));
        mcp_elicit::__private::test::clock(server, now)
            .build()
            .await
            .unwrap()
    }

    async fn client(&self) -> Client {
        Client::new(&self.app(ring(1)).await, "alice")
    }

    fn advance(&self, by: Duration) {
        self.ahead.fetch_add(by.as_secs(), Ordering::SeqCst);
    }
}

fn ring(byte: u8) -> Keyring {
    Keyring::new([byte; 32]).unwrap()
}

fn amount(n: u8) -> Value {
    json!({ "amount": { "action": "accept", "content": { "amount": n } } })
}

fn yes() -> Value {
    json!({ "confirm": { "action": "accept", "content": { "confirm": true } } })
}

#[tokio::test]
async fn one_run_on_two_instances_pays_once() {
    let world = World::default();
    let (one, two) = (world.client().await, world.client().await);
    let asked = one.call("ask", json!({})).await;
    let paid = one.retry("ask", json!({}), &asked.state(), amount(3)).await;
    let elsewhere = two.retry("ask", json!({}), &asked.state(), amount(3)).await;
    assert!(paid.asks() && elsewhere.asks(), "{}", elsewhere.text);
    let ends = [
        two.retry("ask", json!({}), &paid.state(), yes()).await,
        one.retry("ask", json!({}), &elsewhere.state(), yes()).await,
        two.retry("ask", json!({}), &elsewhere.state(), yes()).await,
    ];
    for end in ends {
        assert_eq!(end.first_text(), "3 0", "{}", end.text);
    }
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_ways_at_once_on_two_instances_pay_once() {
    let world = World::default();
    world.bank.slow.store(30, Ordering::SeqCst);
    let clients = [world.client().await, world.client().await];
    let asked = clients[0].call("ask", json!({})).await;
    let tasks: Vec<_> = (0..64)
        .map(|i| {
            let (client, state) = (clients[i % 2].clone(), asked.state());
            tokio::spawn(async move { client.retry("ask", json!({}), &state, amount(3)).await })
        })
        .collect();
    for task in tasks {
        let got = task.await.unwrap();
        assert!(got.asked("confirm").is_object(), "{}", got.text);
    }
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn other_answers_are_refused_amid_and_after() {
    let world = World::default();
    world.bank.slow.store(100, Ordering::SeqCst);
    let clients = [world.client().await, world.client().await];
    let asked = clients[0].call("ask", json!({})).await;
    let (client, state) = (clients[0].clone(), asked.state());
    let first =
        tokio::spawn(async move { client.retry("ask", json!({}), &state, amount(3)).await });
    while world.bank.paid() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for _ in 0..2 {
        let fork = clients[1]
            .retry("ask", json!({}), &asked.state(), amount(4))
            .await;
        assert!(
            fork.is_error() && fork.first_text().contains("other answers"),
            "{}",
            fork.text
        );
        if !first.is_finished() {
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
    }
    assert!(first.await.unwrap().asks());
    assert_eq!(world.bank.paid(), 1);
}

/// A process that dies in the middle of a payment: its runtime goes, and nothing of it is finished.
fn crash(world: &World, tool: &'static str, arguments: Value) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    world.bank.slow.store(600_000, Ordering::SeqCst);
    let before = world.bank.paid();
    runtime.block_on(async {
        let client = world.client().await;
        let asked = client.call(tool, arguments.clone()).await;
        *STATE.lock().unwrap() = asked.state();
        let state = asked.state();
        let pays = client.retry(tool, arguments, &state, amount(3));
        tokio::select! {
            got = pays => panic!("it ended: {}", got.text),
            () = async { while world.bank.paid() == before { tokio::task::yield_now().await } } => {}
        }
    });
    runtime.shutdown_background();
    world.bank.slow.store(0, Ordering::SeqCst);
}

static STATE: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());
/// One crash at a time, since they share the state above.
static CRASH: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// The world after a crash, and the state of the run that was under way.
fn crashed(tool: &'static str) -> (World, String) {
    let _one = CRASH.lock().unwrap();
    let world = World::default();
    std::thread::scope(|threads| {
        threads
            .spawn(|| crash(&world, tool, json!({})))
            .join()
            .unwrap();
    });
    (world, STATE.lock().unwrap().clone())
}

#[tokio::test]
async fn a_crash_leaves_an_unknown_outcome_and_no_second_payment() {
    let (world, state) = crashed("ask");
    let client = world.client().await;
    // As long as the holder may be alive, nobody knows anything.
    world.advance(Duration::from_secs(60));
    for _ in 0..3 {
        let got = client.retry("ask", json!({}), &state, amount(3)).await;
        assert!(
            got.is_error() && got.first_text().contains("outcome is unknown"),
            "{}",
            got.text
        );
    }
    let got = client.retry("ask", json!({}), &state, amount(4)).await;
    assert!(
        got.is_error() && got.first_text().contains("other answers"),
        "{}",
        got.text
    );
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test]
async fn what_may_be_repeated_after_a_crash_is() {
    let (world, state) = crashed("again");
    world.advance(Duration::from_secs(60));
    let client = world.client().await;
    for _ in 0..2 {
        let got = client.retry("again", json!({}), &state, amount(3)).await;
        assert_eq!(got.first_text(), "1", "{}", got.text);
    }
    assert_eq!(world.bank.paid(), 2);
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_finds_the_result_later() {
    let world = World::default();
    world.bank.slow.store(60, Ordering::SeqCst);
    let client = world.client().await;
    let asked = client.call("ask", json!({})).await;
    let state = asked.state();
    let gone = client.retry("ask", json!({}), &state, amount(3));
    assert!(
        tokio::time::timeout(Duration::from_millis(20), gone)
            .await
            .is_err()
    );
    // It comes back before the payment has ended, and to another instance.
    let other = world.client().await;
    let got = other
        .retry("ask", json!({}), &asked.state(), amount(3))
        .await;
    let got = other.retry("ask", json!({}), &got.state(), yes()).await;
    assert_eq!(got.first_text(), "3 0", "{}", got.text);
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test]
async fn a_time_limit_around_an_effect_leaves_its_outcome_unknown() {
    let world = World::default();
    world.bank.slow.store(100, Ordering::SeqCst);
    let hasty = world.with_tools(ring(1), Hasty(world.bank.clone())).await;
    let got = Client::new(&hasty, "alice")
        .call("invoice", json!({ "number": 7 }))
        .await;
    assert_eq!((got.is_error(), got.first_text()), (true, "no time"));
    world.advance(Duration::from_secs(60));
    let client = world.client().await;
    let got = client.call("invoice", json!({ "number": 7 })).await;
    assert!(
        got.is_error() && got.first_text().contains("outcome is unknown"),
        "{}",
        got.text
    );
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test]
async fn a_result_is_as_readable_as_its_key_and_its_type() {
    let world = World::default();
    let old = world.client().await;
    let number = json!({ "number": 7 });
    assert_eq!(old.call("invoice", number.clone()).await.first_text(), "0");
    // Amid a rotation.
    let both = world.app(ring(2).and_old([1; 32]).unwrap()).await;
    let got = Client::new(&both, "alice")
        .call("invoice", number.clone())
        .await;
    assert_eq!(got.first_text(), "0", "{}", got.text);
    // After it, what the old key sealed is known to be done, and no more.
    let new = world.app(ring(2)).await;
    let got = Client::new(&new, "alice")
        .call("invoice", number.clone())
        .await;
    assert!(
        got.is_error() && got.first_text().contains("cannot be read"),
        "{}",
        got.text
    );
    // So it is with a result of another type.
    let worded = world.with_tools(ring(1), Worded(world.bank.clone())).await;
    let got = Client::new(&worded, "alice").call("invoice", number).await;
    assert!(
        got.is_error() && got.first_text().contains("cannot be read"),
        "{}",
        got.text
    );
    assert_eq!(world.bank.paid(), 1);
}

#[tokio::test]
async fn an_effect_with_a_key_of_its_own_is_remembered_as_long_as_the_limit_says() {
    let world = World::default();
    let client = world.client().await;
    let number = json!({ "number": 7 });
    for (days, n) in [(0, "0"), (29, "0"), (2, "1")] {
        world.advance(Duration::from_secs(days * 24 * 3600));
        let got = client.call("invoice", number.clone()).await;
        assert_eq!(got.first_text(), n, "{}", got.text);
    }
}

#[tokio::test]
async fn a_claim_outlives_every_state_that_can_reach_it() {
    let world = World::default();
    let client = world.client().await;
    let mut asked = client.call("ask", json!({})).await;
    let paid = client
        .retry("ask", json!({}), &asked.state(), amount(3))
        .await;
    assert!(paid.asks(), "{}", paid.text);
    // The same question is kept open for almost as long as a run may last.
    for _ in 0..8 {
        world.advance(Duration::from_secs(3_500));
        asked = client
            .retry("ask", json!({}), &asked.state(), json!({}))
            .await;
        assert!(asked.asked("amount").is_object(), "{}", asked.text);
        let again = client
            .retry("ask", json!({}), &asked.state(), amount(3))
            .await;
        assert!(again.asked("confirm").is_object(), "{}", again.text);
    }
    assert_eq!(world.bank.paid(), 1);
}
