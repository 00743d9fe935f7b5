//! L: people take their time.

use std::time::Duration;

use mcp_elicit::testing::TestApp;

use super::*;

/// Where is it?
#[derive(Elicit)]
struct Place {
    city: String,
}

/// Asks, with ten minutes to answer.
#[tool]
async fn soon(cx: &Cx) -> Result<String, CallError> {
    let ask = cx.ask::<Place>().lifetime(Duration::from_secs(600));
    Ok(ask.await?.city)
}

/// Counts what was begun and what was done.
#[derive(Clone, Default)]
struct Train {
    begun: Arc<AtomicUsize>,
    booked: Arc<AtomicUsize>,
}

#[tools]
impl Train {
    /// Asks, and then books.
    #[tool]
    async fn book(&self, cx: &Cx) -> Result<String, CallError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let place = cx.ask::<Place>().await?;
        cx.once("book", async |_| {
            self.booked.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .await?;
        Ok(place.city)
    }
}

fn ulm() -> Value {
    json!({ "place": accept(json!({ "city": "Ulm" })) })
}

#[tokio::test]
async fn l_055_the_time_of_a_question_is_the_one_that_was_said() {
    // Longer limits around it do not prolong it, shorter ones end it sooner; nothing else does.
    for (limit, ends) in [(3600, 600), (601, 600), (600, 600), (599, 599), (60, 60)] {
        let limits = Limits::default().lifetime(Duration::from_secs(limit));
        for (seconds, is_in_time) in [(ends - 1, true), (ends, false), (ends + 1, false)] {
            let test = TestApp::new(server().limits(limits.clone()).tools(toolset![soon])).await;
            let client = Client::new(test.app(), "alice");
            let one = client.call("soon", json!({})).await;
            test.clock().advance(Duration::from_secs(seconds));
            let got = client.retry("soon", json!({}), &one.state(), ulm()).await;
            assert_eq!(
                got.first_text() == "Ulm",
                is_in_time,
                "{seconds}: {}",
                got.text
            );
            assert_eq!(got.code() == -32602, !is_in_time, "{seconds}: {}", got.text);
        }
    }
}

#[tokio::test]
async fn l_056_a_late_answer_counts_until_it_is_too_late() {
    const HOUR: u64 = 3600;
    for (seconds, is_in_time) in [
        (54 * 60, true),
        (HOUR - 1, true),
        (HOUR, false),
        (2 * HOUR, false),
        (365 * 24 * HOUR, false),
    ] {
        let train = Train::default();
        let test = TestApp::new(server().tools(train.clone())).await;
        let client = Client::new(test.app(), "alice");
        let one = client.call("book", json!({})).await;
        train.begun.store(0, Ordering::SeqCst);
        test.clock().advance(Duration::from_secs(seconds));
        let got = client.retry("book", json!({}), &one.state(), ulm()).await;
        let booked = train.booked.load(Ordering::SeqCst);
        if is_in_time {
            assert_eq!((got.first_text(), booked), ("Ulm", 1), "{}", got.text);
            continue;
        }
        // The handler does not even begin.
        assert_eq!(got.code(), -32602, "{}", got.text);
        assert_eq!(
            got.json["error"]["message"],
            "requestState is invalid or expired"
        );
        assert_eq!((booked, train.begun.load(Ordering::SeqCst)), (0, 0));
    }
}
