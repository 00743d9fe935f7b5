//! What is asked of the client itself: generations of its model, and its roots.
#![expect(deprecated, reason = "what is tested here is deprecated")]

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_elicit::client::{
    Block, Root, Roots, Sample, Sampled, Sampling, SamplingTools, ToolUseResult,
};
use mcp_elicit::prelude::*;
use mcp_elicit::testing::{Replay, TestApp};
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

/// What is your name?
#[derive(Elicit)]
struct Person {
    name: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/sampled_account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Names a capital.
#[tool(asks(Sampling))]
async fn capital(cx: &Cx, country: String) -> Result<String, CallError> {
    let question = Sample::new(10).user(format!("The capital of {country}?"));
    let answer = cx.sample(question).await?;
    Ok(format!("{}: {}", answer.model, answer.text()))
}

/// Lists the roots.
#[tool(asks(Roots))]
async fn projects(cx: &Cx) -> Result<String, CallError> {
    let roots = cx.roots().await?;
    let names = roots.iter().map(|it| it.name.as_deref().unwrap_or(&it.uri));
    Ok(names.collect::<Vec<_>>().join(", "))
}

/// Asks all three at once, and then once more.
#[tool]
async fn everything(cx: &Cx) -> Result<String, CallError> {
    let (person, greeting, roots) = try_join!(
        cx.ask::<Person>(),
        cx.sample(Sample::new(50).user("Greet me")).key("greeting"),
        cx.roots(),
    )?;
    cx.confirm("Go on?").await?;
    Ok(format!(
        "{} {} {}",
        person.name,
        greeting.text(),
        roots.len()
    ))
}

/// Asks a form, a page, a model with tools and roots at once.
#[tool]
async fn needy(cx: &Cx) -> Result<String, CallError> {
    let tools = Sample::new(5)
        .user("a")
        .tool("t", "d", json!({ "type": "object" }));
    let _ = try_join!(
        cx.ask::<Person>(),
        cx.ask::<Account>(),
        cx.sample(tools),
        cx.roots(),
    )?;
    Ok(String::new())
}

/// Says what the client can do.
#[tool]
async fn adapts(cx: &Cx) -> String {
    let can = [
        cx.can_sample(),
        cx.can_sample_with_tools(),
        cx.can_list_roots(),
    ];
    format!("{can:?}")
}

static PAID: AtomicUsize = AtomicUsize::new(0);

/// Pays what the model says, once, and asks further.
#[tool]
async fn pays(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.sample(Sample::new(50).user("How much?")).await?;
    let paid = cx
        .once(
            "pay",
            async |_| Ok(PAID.fetch_add(1, Ordering::Relaxed) + 1),
        )
        .await?;
    let person = cx.ask::<Person>().await?;
    Ok(format!(
        "{} paid {paid} for {} bytes",
        person.name,
        answer.text().len()
    ))
}

/// Asks, and puts the answer into an error.
#[tool]
async fn fails(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.sample(Sample::new(50).user("Fail")).await?;
    cx.ask::<Person>().await?;
    Err(std::io::Error::other(answer.text()).into())
}

/// Talks with the model until it uses no tool any more.
#[tool(asks(SamplingTools))]
async fn weather(cx: &Cx) -> Result<String, CallError> {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let mut talk = Sample::new(100)
        .user("The weather in Paris and London?")
        .tool("get_weather", "Current weather of a city", schema);
    for turn in 0..4 {
        let answer = cx.sample(talk.clone()).at(turn).await?;
        if answer.tool_uses().next().is_none() {
            return Ok(answer.text());
        }
        let results: Vec<_> = answer
            .tool_uses()
            .map(|it| ToolUseResult::of(it, format!("18 degrees in {}", it.input["city"])))
            .collect();
        talk = talk.assistant(&answer).user(results);
    }
    Err("The model came to no end.".into())
}

/// Asks what cannot be sent.
#[tool]
async fn faulty(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.sample(Sample::new(0).user("a")).await?.text())
}

/// Says a secret to the model.
#[tool]
async fn leaks(cx: &Cx) -> Result<String, CallError> {
    let secret = SecretString::from("sk_live_0123456789");
    cx.keep_secret(&secret);
    let text = "The key is sk_live_0123456789.";
    Ok(cx.sample(Sample::new(5).user(text)).await?.text())
}

/// Asks two things under one key.
#[tool]
async fn twice(cx: &Cx) -> Result<String, CallError> {
    let one = cx.sample(Sample::new(5).user("a")).await?;
    let two = cx.sample(Sample::new(5).user("b")).await?;
    Ok(one.text() + &two.text())
}

/// Lets a question go.
#[tool]
async fn abandons(cx: &Cx) -> Result<String, CallError> {
    let mut ask = Box::pin(cx.roots());
    std::future::poll_fn(|task| {
        let _ = ask.as_mut().poll(task);
        std::task::Poll::Ready(())
    })
    .await;
    drop(ask);
    Ok("done".to_owned())
}

fn tools() -> Server {
    server().tools(toolset![
        capital, projects, everything, needy, adapts, pays, fails, weather, faulty, leaks, twice,
        abandons,
    ])
}

async fn app() -> App {
    tools().build().await.unwrap()
}

fn all() -> Value {
    json!({
        "elicitation": { "form": {}, "url": {} },
        "sampling": { "tools": {} },
        "roots": {},
    })
}

fn said(text: &str) -> Value {
    json!({ "role": "assistant", "content": { "type": "text", "text": text }, "model": "test" })
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// What is asked, by the alphabet.
fn keys(got: &Got) -> Vec<&str> {
    let requests = got.json["result"]["inputRequests"].as_object();
    let mut keys: Vec<_> = requests.into_iter().flat_map(|it| it.keys()).collect();
    keys.sort();
    keys.into_iter().map(String::as_str).collect()
}

fn required(got: &Got) -> &Value {
    &got.json["error"]["data"]["requiredCapabilities"]
}

#[tokio::test]
async fn the_model_is_asked_and_its_answer_comes_back_typed() {
    let client = Client::new(&app().await, "alice").can(json!({ "sampling": {} }));
    let arguments = json!({ "country": "France" });
    let one = client.call("capital", arguments.clone()).await;
    assert_eq!(
        one.json["result"]["inputRequests"],
        json!({ "sample": { "method": "sampling/createMessage", "params": {
            "messages": [{ "role": "user", "content": { "type": "text", "text": "The capital of France?" } }],
            "maxTokens": 10,
        } } })
    );
    let answers = json!({ "sample": said("Paris") });
    let two = client
        .retry("capital", arguments, &one.state(), answers)
        .await;
    assert_eq!(two.first_text(), "test: Paris", "{}", two.text);
}

#[tokio::test]
async fn roots_come_back_typed() {
    let client = Client::new(&app().await, "alice").can(json!({ "roots": {} }));
    let one = client.call("projects", json!({})).await;
    let requests = json!({ "roots": { "method": "roots/list" } });
    assert_eq!(one.json["result"]["inputRequests"], requests);
    let roots = json!({ "roots": [{ "uri": "file:///a", "name": "A" }, { "uri": "file:///b" }] });
    let answers = json!({ "roots": roots });
    let two = client
        .retry("projects", json!({}), &one.state(), answers)
        .await;
    assert_eq!(two.first_text(), "A, file:///b", "{}", two.text);
}

#[tokio::test]
async fn all_kinds_are_asked_in_one_round_and_what_is_missing_again() {
    let client = Client::new(&app().await, "alice").can(all());
    let one = client.call("everything", json!({})).await;
    assert_eq!(keys(&one), ["greeting", "person", "roots"]);
    let answers = json!({ "greeting": said("Hello"), "person": accept(json!({ "name": "Ada" })) });
    let two = client
        .retry("everything", json!({}), &one.state(), answers)
        .await;
    assert_eq!(keys(&two), ["roots"]);
    let answers = json!({ "roots": { "roots": [] } });
    let three = client
        .retry("everything", json!({}), &two.state(), answers)
        .await;
    assert_eq!(keys(&three), ["confirm"], "{}", three.text);
    let answers = json!({ "confirm": accept(json!({ "confirm": true })) });
    let four = client
        .retry("everything", json!({}), &three.state(), answers)
        .await;
    assert_eq!(four.first_text(), "Ada Hello 0", "{}", four.text);
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error_of_the_client() {
    let client = Client::new(&app().await, "alice").can(all());
    let one = client.call("everything", json!({})).await;
    for (key, bad, told) in [
        (
            "greeting",
            json!({ "action": "decline" }),
            "sampling/createMessage",
        ),
        ("greeting", json!(null), "sampling/createMessage"),
        (
            "greeting",
            json!({ "role": "assistant", "content": "Hello", "model": "m" }),
            "`content`",
        ),
        ("roots", json!({ "action": "cancel" }), "roots/list"),
        (
            "roots",
            json!({ "roots": [{ "uri": "https://example.com" }] }),
            "file://",
        ),
    ] {
        let answers = json!({ key: bad });
        let got = client
            .retry("everything", json!({}), &one.state(), answers)
            .await;
        assert_eq!(
            (got.status.as_u16(), got.code()),
            (200, -32602),
            "{}",
            got.text
        );
        let message = got.json["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("inputResponses[\"{key}\"]: ")),
            "{message}"
        );
        assert!(message.contains(told), "{message}");
    }
}

/// Talks with the model, whatever it says.
#[tool(asks(Sampling))]
async fn chat(cx: &Cx) -> Result<String, CallError> {
    let mut talk = Sample::new(10).user("Hello");
    for turn in 0..2 {
        let answer = cx.sample(talk.clone()).at(turn).await?;
        talk = talk.assistant(&answer).user("Go on");
    }
    Ok("That was nice".into())
}

#[tokio::test]
async fn no_answer_of_the_model_makes_the_next_question_a_wrong_one() {
    let app = server().tools(toolset![chat]).build().await.unwrap();
    let client = Client::new(&app, "alice").can(all());
    let tool_use = json!({ "type": "tool_use", "id": "1", "name": "t", "input": {} });
    let result = json!({ "type": "tool_result", "toolUseId": "1", "content": [] });
    let text = json!({ "type": "text", "text": "" });
    for (content, is_taken) in [
        (json!([]), true),
        (text.clone(), true),
        (json!([text, text]), true),
        // No tool was offered, and results are the user's.
        (tool_use.clone(), false),
        (json!([text, tool_use]), false),
        (result.clone(), false),
        (json!([result, text]), false),
    ] {
        for role in ["assistant", "user"] {
            let one = client.call("chat", json!({})).await;
            let said = json!({ "role": role, "content": content, "model": "m" });
            let answers = json!({ "sample.0": said });
            let two = client.retry("chat", json!({}), &one.state(), answers).await;
            let expected = if is_taken { 0 } else { -32602 };
            assert_eq!(
                (two.code(), two.asks()),
                (expected, is_taken),
                "{}",
                two.text
            );
        }
    }
}

#[tokio::test]
async fn an_answer_is_as_large_as_the_limit_says() {
    let most = 20_000;
    let limits = Limits::default().sampled(most);
    let app = tools().limits(limits).build().await.unwrap();
    let client = Client::new(&app, "alice").can(all());
    let arguments = json!({ "country": "x" });
    let one = client.call("capital", arguments.clone()).await;
    let room = most - said("").to_string().len();
    for (size, fits) in [(room, true), (room + 1, false)] {
        let answers = json!({ "sample": said(&"a".repeat(size)) });
        let got = client
            .retry("capital", arguments.clone(), &one.state(), answers)
            .await;
        assert_eq!(got.code() == -32602, !fits, "{}", got.text);
        if !fits {
            assert!(got.text.contains("at most 20000 bytes"), "{}", got.text);
        }
    }
}

#[tokio::test]
async fn a_client_is_asked_for_what_it_has_declared_and_told_all_that_is_missing() {
    let app = app().await;
    let call = async |capabilities: Value, tool| {
        let client = Client::new(&app, "alice").can(capabilities);
        let arguments = match tool {
            "capital" => json!({ "country": "x" }),
            _ => json!({}),
        };
        let got = client.call(tool, arguments).await;
        if !got.asks() {
            assert_eq!(
                (got.status.as_u16(), got.code()),
                (400, -32021),
                "{}",
                got.text
            );
        }
        got
    };
    // Beforehand, from `asks(..)`.
    let got = call(json!({ "elicitation": {} }), "capital").await;
    assert_eq!(*required(&got), json!({ "sampling": {} }));
    let got = call(json!({ "sampling": {} }), "projects").await;
    assert_eq!(*required(&got), json!({ "roots": {} }));
    for capabilities in [json!({}), json!({ "sampling": {} })] {
        let got = call(capabilities, "weather").await;
        assert_eq!(*required(&got), json!({ "sampling": { "tools": {} } }));
    }
    assert!(
        call(json!({ "sampling": { "tools": {} } }), "weather")
            .await
            .asks()
    );
    // All of one poll together.
    let got = call(json!({}), "needy").await;
    assert_eq!(
        *required(&got),
        json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} })
    );
    let message = got.json["error"]["message"].as_str().unwrap();
    for name in [
        "elicitation.form",
        "elicitation.url",
        "sampling.tools",
        "roots",
    ] {
        assert!(message.contains(name), "{message}");
    }
    let got = call(
        json!({ "elicitation": { "url": {}, "form": {} }, "sampling": {} }),
        "needy",
    )
    .await;
    assert_eq!(
        *required(&got),
        json!({ "sampling": { "tools": {} }, "roots": {} })
    );
    assert!(call(all(), "needy").await.asks());
}

#[tokio::test]
async fn a_tool_can_look_before_it_asks() {
    let app = app().await;
    for (capabilities, can) in [
        (json!({}), "[false, false, false]"),
        (json!({ "sampling": {} }), "[true, false, false]"),
        (
            json!({ "sampling": { "tools": {} } }),
            "[true, true, false]",
        ),
        (json!({ "roots": {} }), "[false, false, true]"),
    ] {
        let got = Client::new(&app, "alice").can(capabilities);
        assert_eq!(got.call("adapts", json!({})).await.first_text(), can);
    }
}

#[tokio::test]
async fn an_answer_on_a_first_call_is_taken_as_with_forms() {
    let client = Client::new(&app().await, "alice").can(all());
    let params = json!({
        "arguments": { "country": "France" },
        "inputResponses": { "sample": said("Paris") },
    });
    let got = client.call_with("capital", params).await;
    assert_eq!(got.first_text(), "test: Paris", "{}", got.text);
}

#[tokio::test]
async fn with_a_state_only_what_was_asked_is_answered() {
    let client = Client::new(&app().await, "alice").can(all());
    let one = client.call("twice", json!({})).await;
    let answers = json!({ "sample": said("one") });
    let two = client
        .retry("twice", json!({}), &one.state(), answers)
        .await;
    // The second has the key of the first: a mistake that is told to the log alone.
    assert_eq!(two.code(), -32603, "{}", two.text);
    let one = client.call("pays", json!({})).await;
    let unasked = json!({ "person": accept(json!({ "name": "Eve" })), "sample": said("1") });
    let two = client.retry("pays", json!({}), &one.state(), unasked).await;
    assert_eq!(keys(&two), ["person"], "{}", two.text);
}

#[tokio::test]
async fn a_large_answer_is_kept_in_the_store_and_an_effect_after_it_is_done_once() {
    let client = Client::new(&app().await, "alice").can(all());
    let around = said("").to_string().len();
    // Up to 4 KiB it travels in the state, above in the store.
    for (size, travels) in [
        (4096 - around, true),
        (4097 - around, false),
        (200_000, false),
    ] {
        let one = client.call("pays", json!({})).await;
        let answers = json!({ "sample": said(&"x".repeat(size)) });
        let mut texts = Vec::new();
        // The same round twice: each has a state of its own, and one effect.
        for _ in 0..2 {
            let two = client
                .retry("pays", json!({}), &one.state(), answers.clone())
                .await;
            assert_eq!(two.state().len() > 4096, travels, "{size}");
            let answers = json!({ "person": accept(json!({ "name": "Ada" })) });
            let three = client.retry("pays", json!({}), &two.state(), answers).await;
            texts.push(three.first_text().to_owned());
        }
        assert_eq!(texts[0], texts[1]);
        assert!(
            texts[0].ends_with(&format!("for {size} bytes")),
            "{texts:?}"
        );
        // Another answer of the model is another effect.
        let answers = json!({ "sample": said(&"y".repeat(size)) });
        let other = client.retry("pays", json!({}), &one.state(), answers).await;
        assert!(other.text.contains("with other answers"), "{}", other.text);
    }
}

#[tokio::test]
async fn a_large_answer_that_another_store_does_not_have_is_asked_for_again() {
    let (one, other) = (app().await, app().await);
    let client = Client::new(&one, "alice").can(all());
    let asked = client.call("fails", json!({})).await;
    let answers = json!({ "sample": said(&"z".repeat(50_000)) });
    let two = client
        .retry("fails", json!({}), &asked.state(), answers)
        .await;
    assert_eq!(keys(&two), ["person"], "{}", two.text);
    let answers = json!({ "person": accept(json!({ "name": "Ada" })) });
    let got = client
        .on(&other)
        .retry("fails", json!({}), &two.state(), answers)
        .await;
    assert_eq!(keys(&got), ["sample"], "{}", got.text);
}

#[tokio::test]
async fn no_more_large_answers_of_one_user_are_kept_than_the_limit_says() {
    let limits = Limits::default().sampled_kept(2);
    let app = tools().limits(limits).build().await.unwrap();
    let round = async |user: &str, size: usize| {
        let client = Client::new(&app, user).can(all());
        let one = client.call("fails", json!({})).await;
        let answers = json!({ "sample": said(&"w".repeat(size)) });
        let two = client
            .retry("fails", json!({}), &one.state(), answers.clone())
            .await;
        // The same again takes no more room.
        let again = client
            .retry("fails", json!({}), &one.state(), answers)
            .await;
        assert_eq!(two.asks(), again.asks());
        two
    };
    for _ in 0..2 {
        assert!(round("alice", 10_000).await.asks());
    }
    let third = round("alice", 10_000).await;
    assert!(third.is_error(), "{}", third.text);
    assert!(third.first_text().contains("Too many large answers"));
    // Small ones travel, and another user has room of another's own.
    assert!(round("alice", 100).await.asks());
    assert!(round("bob", 10_000).await.asks());
}

#[tokio::test]
async fn a_saved_run_has_its_large_answer_with_it() {
    let (one, other) = (TestApp::new(tools()).await, TestApp::new(tools()).await);
    let call = one.user("ada").tool("fails");
    let call = call.sampled(Sampled::new("m", "v".repeat(10_000)));
    let saved = call.until::<Person>().await.fixture();
    assert_eq!(other.replay(&saved).await, Replay::Same);
}

#[tokio::test]
async fn what_must_not_be_sent_ends_the_run() {
    let client = Client::new(&app().await, "alice").can(all());
    for tool in ["faulty", "leaks", "abandons"] {
        let got = client.call(tool, json!({})).await;
        assert_eq!(got.code(), -32603, "{tool}: {}", got.text);
        assert!(!got.text.contains("sk_live"), "{}", got.text);
    }
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused() {
    let app = TestApp::new(tools()).await;
    let call = app.user("ada").tool("capital");
    let call = call.args(json!({ "country": "France" }));
    let parked = call.until::<Sampling>().await;
    assert_eq!(parked.question().message(), "The capital of France?");
    let paris = || Sampled::new("m", "Paris");
    assert!(parked.tampered().sampled(paris()).await.refused().is_some());
    assert!(
        parked
            .as_user("eve")
            .sampled(paris())
            .await
            .refused()
            .is_some()
    );
    assert_eq!(parked.resend().sampled(paris()).await.text(), "m: Paris");
    assert_eq!(app.replay(&parked.fixture()).await, Replay::Same);
}

#[tokio::test]
async fn a_script_answers_both_ways() {
    let app = TestApp::new(tools()).await;
    let script = || {
        let call = app.user("ada").tool("everything");
        call.accept(Person {
            name: "Ada".to_owned(),
        })
        .skip::<Roots>()
        .sampled(Sampled::new("m", "Hello"))
        .key("greeting")
        .roots(vec![Root::new("file:///a").named("A")])
        .confirm(true)
    };
    for call in [script(), script().live()] {
        let run = call.await;
        assert_eq!((run.text(), run.rounds()), ("Ada Hello 1", 4));
    }
}

#[tokio::test]
async fn a_loop_of_tools_goes_on_until_the_model_has_done() {
    let app = TestApp::new(tools()).await;
    let uses = json!({
        "role": "assistant",
        "content": [
            { "type": "tool_use", "id": "1", "name": "get_weather", "input": { "city": "Paris" } },
            { "type": "tool_use", "id": "2", "name": "get_weather", "input": { "city": "London" } },
        ],
        "model": "m",
        "stopReason": "toolUse",
    });
    let script = || {
        let call = app.user("ada").tool("weather");
        call.sampled(uses.clone())
            .at(0)
            .sampled(Sampled::new("m", "Mild in both."))
            .at(1)
    };
    for call in [script(), script().live()] {
        let run = call.await;
        assert_eq!(run.text(), "Mild in both.");
        let asked = run.asked().last().unwrap().params();
        assert_eq!(asked["messages"].as_array().unwrap().len(), 3);
        let result = &asked["messages"][2]["content"][1];
        assert_eq!(result["toolUseId"], "2");
        assert_eq!(result["content"][0]["text"], "18 degrees in \"London\"");
    }
    let image = json!({
        "role": "assistant",
        "content": { "type": "image", "data": "/w==", "mimeType": "image/png" },
        "model": "m",
    });
    let run = app.user("ada").tool("weather").sampled(image).await;
    assert_eq!(run.text(), "");
    assert!(matches!(Block::text("a"), Block::Text(_)));
}
