//! N: a result says what it is.

use mcp_elicit::Completing;
use mcp_elicit::testing::TestApp;

use super::*;

/// Who is it for?
#[derive(Elicit, Debug)]
struct Guest {
    name: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Asks.
#[tool]
async fn ask(cx: &Cx) -> Result<Json<Value>, CallError> {
    Ok(Json(json!({ "name": cx.ask::<Guest>().await?.name })))
}

/// Asks on a page.
#[tool(asks(Account))]
async fn page(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok(())
}

/// Fails.
#[tool]
async fn fail() -> Result<(), CallError> {
    Err("No.".into())
}

/// Greets whoever is named.
#[prompt]
async fn greet(cx: &Cx, #[arg(complete = none)] how: String) -> Result<String, CallError> {
    Ok(format!("{how} {}", cx.ask::<Guest>().await?.name))
}

async fn none(_: Completing) -> Vec<String> {
    Vec::new()
}

/// Shows who was named.
#[resource("test://guest")]
async fn guest(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Guest>().await?.name)
}

fn tools() -> Server {
    server().tools(toolset![ask, page, fail, greet, guest])
}

async fn client() -> Client {
    Client::new(&tools().build().await.unwrap(), "alice")
}

/// All that can ask.
async fn questions(client: &Client) -> [Got; 4] {
    let prompt = json!({ "name": "greet", "arguments": { "how": "Hi" } });
    [
        client.call("ask", json!({})).await,
        client.call("page", json!({})).await,
        client.request("prompts/get", Some("greet"), prompt).await,
        client
            .request(
                "resources/read",
                Some("test://guest"),
                json!({ "uri": "test://guest" }),
            )
            .await,
    ]
}

fn answer() -> Value {
    json!({ "guest": accept(json!({ "name": "Ada" })) })
}

#[tokio::test]
async fn n_062_a_question_with_meta_is_a_question() {
    let got = client().await.call("ask", json!({})).await;
    assert!(got.json["result"]["_meta"].is_object(), "{}", got.text);
    // The client for tests reads both parts of it.
    let test = TestApp::new(tools()).await;
    let parked = test.user("ada").tool("ask").until::<Guest>().await;
    assert_eq!(parked.question().key(), "guest");
    assert!(parked.state().starts_with("e1."));
    let guest = Guest {
        name: "Ada".to_owned(),
    };
    let run = parked.resend().accept(guest).await;
    assert_eq!(run.json::<Value>(), json!({ "name": "Ada" }));
    assert!(run.result()["_meta"].is_object());
}

#[tokio::test]
async fn n_063_a_question_is_a_result_of_its_own_kind() {
    for got in questions(&client().await).await {
        let result = got.json["result"].as_object().unwrap();
        let members: Vec<_> = result.keys().collect();
        assert_eq!(
            members,
            ["_meta", "inputRequests", "requestState", "resultType"],
            "{}",
            got.text
        );
        assert_eq!(result["resultType"], "input_required");
        assert_eq!(got.status, 200);
        for (key, request) in result["inputRequests"].as_object().unwrap() {
            assert_eq!(request["method"], "elicitation/create", "{key}");
            assert!(!request["params"]["message"].as_str().unwrap().is_empty());
        }
    }
}

#[tokio::test]
async fn n_064_every_result_says_whether_it_is_complete() {
    let client = client().await;
    for got in questions(&client).await {
        assert_eq!(got.json["result"]["resultType"], "input_required");
    }
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "greet" },
        "argument": { "name": "how", "value": "" } });
    let one = client.call("ask", json!({})).await;
    let mut ended = vec![
        client.retry("ask", json!({}), &one.state(), answer()).await,
        client.call("fail", json!({})).await,
    ];
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("completion/complete", complete),
    ] {
        ended.push(client.request(method, None, params).await);
    }
    for got in ended {
        assert_eq!(got.json["result"]["resultType"], "complete", "{}", got.text);
        assert!(got.json["result"].get("inputRequests").is_none());
    }
    // An error has none.
    let got = client.request("nothing", None, json!({})).await;
    assert!(!got.text.contains("resultType"), "{}", got.text);
}

#[tokio::test]
async fn n_065_what_cannot_ask_is_not_answered() {
    let client = client().await;
    let state = client.call("ask", json!({})).await.state();
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "greet" },
        "argument": { "name": "how", "value": "" } });
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("completion/complete", complete),
    ] {
        let plain = client.request(method, None, params.clone()).await;
        for (state, answers) in [
            (json!(state), answer()),
            (json!("e1.AAAA"), json!({ "guest": { "action": "reject" } })),
            (json!(7), json!([])),
        ] {
            let mut params = params.clone();
            params["requestState"] = state;
            params["inputResponses"] = answers;
            let got = client.request(method, None, params).await;
            let is_refused = got.code() == -32602 && !got.asks();
            assert!(got.json == plain.json || is_refused, "{}", got.text);
        }
    }
    // A tool that asks nothing is called with a state of its own alone.
    let got = client.retry("fail", json!({}), &state, answer()).await;
    assert_eq!(got.code(), -32602, "{}", got.text);
}
