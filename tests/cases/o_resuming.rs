//! O: a handler that runs again does nothing twice, and confuses no answers.

use std::sync::atomic::AtomicBool;

use super::*;

/// One number.
#[derive(Elicit)]
#[elicit(message = "Which number?")]
struct A {
    number: u8,
}

/// Another number.
#[derive(Elicit)]
#[elicit(message = "Which other number?")]
struct B {
    number: u8,
}

/// What is made along the way, and whether the way is another one by now.
#[derive(Clone, Default)]
struct Cloud {
    steps: Arc<AtomicUsize>,
    machines: Arc<AtomicUsize>,
    bare: Arc<AtomicUsize>,
    turned: Arc<AtomicBool>,
}

#[tools]
impl Cloud {
    /// Makes a machine before it asks twice.
    #[tool]
    async fn make(&self, cx: &Cx) -> Result<String, CallError> {
        self.bare.fetch_add(1, Ordering::SeqCst);
        let found = cx
            .step("find", async |_| {
                Ok(self.steps.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
        let made = cx
            .once("make", async |_| {
                Ok(self.machines.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
        let (a, b) = (cx.ask::<A>().await?, cx.ask::<B>().await?);
        Ok(format!("{found} {made} {} {}", a.number, b.number))
    }

    /// Asks A and then B; after the turn, B and then A.
    #[tool]
    async fn turns(&self, cx: &Cx) -> Result<String, CallError> {
        let (a, b);
        if self.turned.load(Ordering::SeqCst) {
            b = cx.ask::<B>().await?.number;
            a = cx.ask::<A>().await?.number;
        } else {
            a = cx.ask::<A>().await?.number;
            b = cx.ask::<B>().await?.number;
        }
        Ok(format!("a {a} b {b}"))
    }

    /// Asks A and then B; after the turn, B alone.
    #[tool]
    async fn skips(&self, cx: &Cx) -> Result<String, CallError> {
        if !self.turned.load(Ordering::SeqCst) {
            cx.ask::<A>().await?;
        }
        Ok(format!("b {}", cx.ask::<B>().await?.number))
    }

    /// Asks the same key with two types.
    #[tool]
    async fn mixes(&self, cx: &Cx) -> Result<String, CallError> {
        if self.turned.load(Ordering::SeqCst) {
            return Ok(format!("b {}", cx.ask::<B>().key("number").await?.number));
        }
        Ok(format!("a {}", cx.ask::<A>().key("number").await?.number))
    }

    /// Never has enough.
    #[tool]
    async fn insatiable(&self, cx: &Cx) -> Result<String, CallError> {
        for i in 0.. {
            cx.ask::<A>().at(i).await?;
        }
        Ok(String::new())
    }

    /// Lets a question go that it has begun.
    #[tool]
    async fn lets_go(&self, cx: &Cx) -> Result<String, CallError> {
        {
            let mut ask = std::pin::pin!(cx.ask::<A>());
            std::future::poll_fn(|waker| {
                let _ = ask.as_mut().poll(waker);
                std::task::Poll::Ready(())
            })
            .await;
        }
        Ok("done".to_owned())
    }
}

async fn begin(limits: Limits) -> (Cloud, Client) {
    let cloud = Cloud::default();
    let app = server()
        .limits(limits)
        .tools(cloud.clone())
        .build()
        .await
        .unwrap();
    (cloud, Client::new(&app, "alice"))
}

fn number(key: &str, number: u8) -> Value {
    json!({ key: accept(json!({ "number": number })) })
}

#[tokio::test]
async fn o_066_what_was_done_before_a_question_is_done_once() {
    let (cloud, client) = begin(Limits::default()).await;
    let one = client.call("make", json!({})).await;
    let two = client
        .retry("make", json!({}), &one.state(), number("a", 1))
        .await;
    let end = client
        .retry("make", json!({}), &two.state(), number("b", 2))
        .await;
    assert_eq!(end.first_text(), "0 0 1 2", "{}", end.text);
    // Sent again, early and late.
    for (state, answers) in [(one.state(), number("a", 1)), (two.state(), number("b", 2))] {
        client.retry("make", json!({}), &state, answers).await;
    }
    let count = |it: &AtomicUsize| it.load(Ordering::SeqCst);
    assert_eq!((count(&cloud.steps), count(&cloud.machines)), (1, 1));
    // What stands outside of both is done in each round: the guide says so.
    assert_eq!(count(&cloud.bare), 5);
    let guide = fs::read_to_string("../docs/guide/steps-and-effects.md").unwrap();
    assert!(guide.contains("again in each round"));
}

#[tokio::test]
async fn o_067_an_answer_is_for_the_question_that_was_asked() {
    for (tool, end) in [("turns", "a 3 b 2"), ("skips", "b 2")] {
        let (cloud, client) = begin(Limits::default()).await;
        let mut got = client.call(tool, json!({})).await;
        assert!(got.asked("a").is_object(), "{}", got.text);
        // B comes first now, or alone: the answer to A is not taken for it.
        cloud.turned.store(true, Ordering::SeqCst);
        got = client
            .retry(tool, json!({}), &got.state(), number("a", 1))
            .await;
        assert!(
            got.asked("b").is_object() && got.asked("a").is_null(),
            "{}",
            got.text
        );
        got = client
            .retry(tool, json!({}), &got.state(), number("b", 2))
            .await;
        if got.asks() {
            assert!(got.asked("a").is_object(), "{}", got.text);
            got = client
                .retry(tool, json!({}), &got.state(), number("a", 3))
                .await;
        }
        assert_eq!(got.first_text(), end, "{}", got.text);
    }
    // An answer under the name of something else is nobody's.
    let (_, client) = begin(Limits::default()).await;
    let one = client.call("turns", json!({})).await;
    let got = client
        .retry("turns", json!({}), &one.state(), number("b", 2))
        .await;
    assert!(got.asks() && got.asked("a").is_object(), "{}", got.text);
    // The same name for another question is asked anew, and never takes what was said to the first.
    let (cloud, client) = begin(Limits::default()).await;
    let one = client.call("mixes", json!({})).await;
    cloud.turned.store(true, Ordering::SeqCst);
    let got = client
        .retry("mixes", json!({}), &one.state(), number("number", 1))
        .await;
    assert!(got.asks(), "{}", got.text);
    assert_eq!(got.asked("number")["message"], "Which other number?");
    // If it turns each time, the run ends, and the author is told.
    cloud.turned.store(false, Ordering::SeqCst);
    let got = client
        .retry("mixes", json!({}), &got.state(), number("number", 1))
        .await;
    assert!(
        got.is_error() && got.first_text().contains("another one each time"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn o_068_a_run_has_an_end() {
    for most in [1, 2, 5] {
        let (_, client) = begin(Limits::default().rounds(most)).await;
        let mut got = client.call("insatiable", json!({})).await;
        let first = got.state();
        for i in 0..most - 1 {
            got = client
                .retry(
                    "insatiable",
                    json!({}),
                    &got.state(),
                    number(&format!("a.{i}"), 1),
                )
                .await;
            assert!(got.asks(), "{}", got.text);
        }
        // Neither more answers than asked for nor an older state brings another round.
        let mut all = json!({});
        for i in 0..40 {
            all[format!("a.{i}")] = accept(json!({ "number": 1 }));
        }
        let last = client
            .retry("insatiable", json!({}), &got.state(), all.clone())
            .await;
        assert!(
            last.is_error() && last.first_text().contains("a."),
            "{}",
            last.text
        );
        let again = client.retry("insatiable", json!({}), &first, all).await;
        assert_eq!(again.asks(), most > 1, "{}", again.text);
    }
}

#[tokio::test]
async fn o_069_no_result_leaves_a_question_open() {
    for (case, token) in [
        ("tools/ask_not_awaited", "cx.ask::<Seat>()"),
        ("tools/not_awaited", "ask()"),
        ("steps/not_awaited", "cx.once(\"pay\", async |_| Ok(1))"),
    ] {
        refused(case, token, &["must be used"]);
    }
    let (_, client) = begin(Limits::default()).await;
    let got = client.call("lets_go", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    assert!(!got.text.contains("done"), "{}", got.text);
}
