//! M: it does not matter where a round arrives, and a round needs nothing but its bytes.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use mcp_elicit::store::MemoryStore;

use super::*;

/// Who is it for?
#[derive(Elicit, Debug)]
struct Guest {
    name: String,
}

/// Asks and confirms.
#[tool]
async fn greet(cx: &Cx, greeting: String) -> Result<String, CallError> {
    let length = cx.step("length", async |_| Ok(greeting.len())).await?;
    let guest = cx.ask::<Guest>().await?;
    cx.confirm(format!("Greet {}?", guest.name)).await?;
    Ok(format!("{greeting} {} {length}", guest.name))
}

fn arguments() -> Value {
    json!({ "greeting": "Hello" })
}

/// The answers of all rounds, in order.
fn rounds() -> [Value; 2] {
    [
        json!({ "guest": accept(json!({ "name": "Ada" })) }),
        json!({ "confirm": accept(json!({ "confirm": true })) }),
    ]
}

/// A server that shares its keys with others and nothing else.
async fn machine() -> App {
    let server = server().store(MemoryStore::new()).tools(toolset![greet]);
    server.build().await.unwrap()
}

#[tokio::test]
async fn m_058_each_round_may_go_to_another_machine() {
    let (a, b) = (machine().await, machine().await);
    for order in [[&a, &a, &a], [&a, &b, &a], [&a, &b, &b], [&b, &a, &a]] {
        let client = Client::new(order[0], "alice");
        let mut got = client.call("greet", arguments()).await;
        for (on, answers) in order[1..].iter().zip(rounds()) {
            assert!(got.asks(), "{}", got.text);
            let client = client.on(on);
            got = client
                .retry("greet", arguments(), &got.state(), answers)
                .await;
        }
        assert_eq!(got.first_text(), "Hello Ada 5", "{}", got.text);
    }
    // A machine that is gone is not missed.
    let gone = machine().await;
    let one = Client::new(&gone, "alice").call("greet", arguments()).await;
    drop(gone);
    let [first, _] = rounds();
    let client = Client::new(&a, "alice");
    assert!(
        client
            .retry("greet", arguments(), &one.state(), first)
            .await
            .asks()
    );
}

#[test]
fn m_060_a_round_is_a_request_and_a_response() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let app = runtime.block_on(machine());
    let client = Client::new(&app, "alice");
    let mut got: Option<Got> = None;
    for answers in [Value::Null, rounds()[0].clone(), rounds()[1].clone()] {
        let params = match &got {
            None => json!({ "arguments": arguments() }),
            Some(got) => {
                json!({ "arguments": arguments(), "requestState": got.state(), "inputResponses": answers })
            }
        };
        // Nothing is waited for: no socket, no task, no timer. The first poll has it all.
        let _inside = runtime.enter();
        let mut call = pin!(client.call_with("greet", params));
        let Poll::Ready(reply) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("the call waits for something");
        };
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
        got = Some(reply);
    }
    let got = got.unwrap();
    assert_eq!(got.first_text(), "Hello Ada 5", "{}", got.text);
}
