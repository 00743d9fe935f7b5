//! Prompts and resources: they are found, read their arguments, ask and resume as tools do.

use mcp_elicit::prelude::*;
use mcp_elicit::{Completing, Content, NotFound, ResourceContents, serde};
use mcp_elicit_tests::{Browser, Client, server};
use serde_json::{Value, json};

/// What is the role about?
#[derive(Elicit)]
struct Focus {
    topic: String,
}

/// Your account at the archive.
#[derive(Elicit)]
#[elicit(url = "/ui/archive")]
struct Archive {
    #[secret]
    key: SecretString,
}

#[derive(serde::Deserialize, mcp_elicit::schemars::JsonSchema, Debug)]
#[serde(crate = "mcp_elicit::serde", rename_all = "lowercase")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Tone {
    Formal,
    Friendly,
}

/// Greet somebody.
#[prompt(title = "Greet")]
async fn greet(
    /** Who is greeted */
    name: String,
    tone: Option<Tone>,
    #[arg(default = 1)] times: u8,
) -> String {
    format!("{name} {tone:?} {times}")
}

/// Welcome a colleague.
#[prompt(asks(Focus))]
async fn welcome(cx: &Cx, employee: String) -> Result<Messages, CallError> {
    let focus = cx.ask::<Focus>().await?;
    if focus.topic == "nothing" {
        return Err("There is nothing to say.".into());
    }
    Ok(Messages::new()
        .description("A plan")
        .user(format!("{employee}: {}", focus.topic))
        .assistant(Content::image(b"x", "image/png")))
}

/// Opening hours.
#[resource("office://hours", mime = "text/plain")]
async fn hours() -> &'static str {
    "9 to 5"
}

/// A checklist.
#[resource(
    "hr://checklist/{employee}",
    mime = "text/markdown",
    name = "checklists"
)]
async fn checklist(
    cx: &Cx,
    #[arg(complete = employees)] employee: String,
) -> Result<String, CallError> {
    if employee == "nobody" {
        return Err(NotFound.into());
    }
    if employee == "archived" {
        let key = cx.ask::<Archive>().await?;
        assert!(!mcp_elicit::ExposeSecret::expose_secret(&key.key).is_empty());
    }
    let focus = cx.ask::<Focus>().await?;
    Ok(format!("{employee} {} {}", focus.topic, cx.uri()))
}

/// What this server keeps for a file.
#[resource("files:///{+path}")]
async fn file(path: String, cx: &Cx) -> Vec<ResourceContents> {
    vec![
        ResourceContents::text(cx.uri(), path),
        ResourceContents::bytes("files:///other", b"x").mime_type("image/png"),
    ]
}

/// A number.
#[resource("test://number/{n}")]
async fn number(n: u8) -> String {
    (n + 1).to_string()
}

async fn employees(it: Completing) -> Vec<String> {
    let who = it.principal().subject().to_owned();
    ["ada", "alan", "grace"]
        .into_iter()
        .filter(|name| name.starts_with(it.typed()))
        .map(ToOwned::to_owned)
        .chain([who, it.argument("team").unwrap_or("none").to_owned()])
        .collect()
}

struct Office;

#[tools]
impl Office {
    /// Open the door.
    #[tool(asks(Archive))]
    async fn open(&self) -> &'static str {
        "open"
    }

    /// Say where it is.
    #[prompt]
    async fn directions(&self, from: String) -> String {
        format!("from {from}")
    }

    /// The plan of the office.
    #[resource("office://plan")]
    async fn plan(&self) -> Vec<u8> {
        vec![1, 2, 3]
    }
}

async fn client() -> Client {
    let app = server()
        .tools(toolset![greet, welcome, hours, checklist, file, number])
        .tools(Office)
        .build()
        .await
        .unwrap();
    Client::new(&app, "ada")
}

async fn get(client: &Client, name: &str, arguments: Value) -> mcp_elicit_tests::Got {
    let params = json!({ "name": name, "arguments": arguments });
    client.request("prompts/get", Some(name), params).await
}

async fn read(client: &Client, uri: &str) -> mcp_elicit_tests::Got {
    client
        .request("resources/read", Some(uri), json!({ "uri": uri }))
        .await
}

#[tokio::test]
async fn they_are_listed_with_what_they_take() {
    let client = client().await;
    let got = client.request("prompts/list", None, json!({})).await;
    let prompts = got.json["result"]["prompts"].as_array().unwrap();
    let names: Vec<_> = prompts
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["greet", "welcome", "directions"]);
    assert_eq!(
        prompts[0],
        json!({
            "name": "greet",
            "title": "Greet",
            "description": "Greet somebody.",
            "arguments": [
                { "name": "name", "required": true, "description": "Who is greeted" },
                { "name": "tone", "required": false },
                { "name": "times", "required": false },
            ],
        })
    );
    let got = client.request("resources/list", None, json!({})).await;
    assert_eq!(
        got.json["result"]["resources"],
        json!([
            { "uri": "office://hours", "name": "hours", "description": "Opening hours.", "mimeType": "text/plain" },
            { "uri": "office://plan", "name": "plan", "description": "The plan of the office." },
        ])
    );
    let got = client
        .request("resources/templates/list", None, json!({}))
        .await;
    let result = &got.json["result"];
    assert_eq!(
        result["resourceTemplates"][0],
        json!({
            "uriTemplate": "hr://checklist/{employee}",
            "name": "checklists",
            "description": "A checklist.",
            "mimeType": "text/markdown",
        })
    );
    assert!(result["ttlMs"].is_u64() && result["cacheScope"] == "public");
    let got = client.request("server/discover", None, json!({})).await;
    assert_eq!(
        got.json["result"]["capabilities"],
        json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "completions": {},
            "logging": {},
        })
    );
}

#[tokio::test]
async fn what_is_not_offered_is_no_method() {
    let app = server().tools(Vec::new()).build().await.unwrap();
    let client = Client::new(&app, "ada");
    for (method, name) in [
        ("prompts/list", None),
        ("prompts/get", Some("greet")),
        ("resources/list", None),
        ("resources/templates/list", None),
        ("resources/read", Some("office://hours")),
        ("completion/complete", None),
    ] {
        let params = json!({ "name": "greet", "uri": "office://hours" });
        let got = client.request(method, name, params).await;
        assert_eq!((got.code(), got.status.as_u16()), (-32601, 404), "{method}");
    }
    let got = client.request("server/discover", None, json!({})).await;
    assert_eq!(
        got.json["result"]["capabilities"],
        json!({ "tools": { "listChanged": true }, "logging": {} })
    );
}

#[tokio::test]
async fn arguments_are_texts_that_their_types_read() {
    let client = client().await;
    let text = |got: mcp_elicit_tests::Got| {
        let message = got.json["result"]["messages"][0].clone();
        assert_eq!(message["role"], "user", "{}", got.text);
        message["content"]["text"].as_str().unwrap().to_owned()
    };
    let got = get(&client, "greet", json!({ "name": "3" })).await;
    assert_eq!(text(got), "3 None 1");
    let all = json!({ "name": "Ada", "tone": "formal", "times": "3" });
    assert_eq!(text(get(&client, "greet", all).await), "Ada Some(Formal) 3");
    let blank = json!({ "name": "", "tone": "", "times": "" });
    assert_eq!(text(get(&client, "greet", blank).await), " None 1");
    for bad in [
        json!({}),
        json!({ "name": "a", "times": "many" }),
        json!({ "name": "a", "tone": "rude" }),
        json!({ "name": "a", "other": "b" }),
        json!([]),
        json!("a"),
    ] {
        let got = get(&client, "greet", bad.clone()).await;
        assert_eq!(got.code(), -32602, "{bad}");
    }
    assert_eq!(get(&client, "unknown", json!({})).await.code(), -32602);
}

#[tokio::test]
async fn a_prompt_asks_and_resumes() {
    let client = client().await;
    let got = get(&client, "welcome", json!({ "employee": "Ada" })).await;
    assert!(got.asks(), "{}", got.text);
    assert_eq!(got.json["result"].get("ttlMs"), None);
    let retry = |state: String, answer: Value| {
        let client = client.clone();
        async move {
            let params = json!({
                "name": "welcome",
                "arguments": { "employee": "Ada" },
                "requestState": state,
                "inputResponses": { "focus": answer },
            });
            client.request("prompts/get", Some("welcome"), params).await
        }
    };
    let accept = |topic: &str| json!({ "action": "accept", "content": { "topic": topic } });
    let done = retry(got.state(), accept("tests")).await;
    assert_eq!(
        done.json["result"]["messages"],
        json!([
            { "role": "user", "content": { "type": "text", "text": "Ada: tests" } },
            { "role": "assistant", "content": { "type": "image", "data": "eA==", "mimeType": "image/png" } },
        ])
    );
    assert_eq!(done.json["result"]["description"], "A plan");

    let no = retry(got.state(), json!({ "action": "decline" })).await;
    assert_eq!(no.json["error"]["code"], 4001);
    assert_eq!(no.json["error"]["data"], json!({ "action": "decline" }));
    let no = retry(got.state(), json!({ "action": "cancel" })).await;
    assert_eq!(no.json["error"]["data"]["action"], "cancel");
    let told = retry(got.state(), accept("nothing")).await;
    assert_eq!(told.json["error"]["code"], -32603);
    assert_eq!(told.json["error"]["message"], "There is nothing to say.");
    // A state is of the very prompt.
    let params = json!({ "name": "directions", "arguments": { "employee": "Ada" }, "requestState": got.state() });
    let other = client
        .request("prompts/get", Some("directions"), params)
        .await;
    assert_eq!(other.code(), -32602);
}

#[tokio::test]
async fn a_resource_is_read_at_its_uri() {
    let client = client().await;
    let got = read(&client, "office://hours").await;
    let result = &got.json["result"];
    assert_eq!(
        result["contents"],
        json!([{ "uri": "office://hours", "mimeType": "text/plain", "text": "9 to 5" }])
    );
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let got = read(&client, "office://plan").await;
    assert_eq!(
        got.json["result"]["contents"],
        json!([{ "uri": "office://plan", "blob": "AQID" }])
    );
    let got = read(&client, "files:///src/a%20b.rs").await;
    assert_eq!(
        got.json["result"]["contents"],
        json!([
            { "uri": "files:///src/a%20b.rs", "text": "src/a b.rs" },
            { "uri": "files:///other", "mimeType": "image/png", "blob": "eA==" },
        ])
    );
    let got = read(&client, "test://number/7").await;
    assert_eq!(got.json["result"]["contents"][0]["text"], "8");
    assert_eq!(read(&client, "test://number/x").await.code(), -32602);
}

#[tokio::test]
async fn what_is_not_there_is_named_in_the_error() {
    let client = client().await;
    for uri in [
        "office://other",
        "files:///../etc/passwd",
        "files:///%2e%2e/etc",
        "files:////etc/passwd",
        "files:///%2Fetc%2Fpasswd",
        "hr://checklist/a/b",
        "hr://checklist/{employee}",
        "",
    ] {
        let got = read(&client, uri).await;
        if uri == "hr://checklist/{employee}" {
            continue;
        }
        assert_eq!(got.code(), -32602, "{uri}: {}", got.text);
        assert_eq!(got.json["error"]["data"]["uri"], uri);
    }
    let got = client.request("resources/read", None, json!({})).await;
    assert_eq!(got.code(), -32602);
    let got = read(&client, "hr://checklist/nobody").await;
    assert_eq!(got.code(), -32602);
    assert_eq!(got.json["error"]["data"]["uri"], "hr://checklist/nobody");
}

#[tokio::test]
async fn a_resource_asks_and_resumes_also_on_a_page() {
    let app = server()
        .tools(toolset![checklist])
        .tools(Office)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada");
    let uri = "hr://checklist/archived";
    let first = read(&client, uri).await;
    let link = first.link("archive");
    assert!(link.contains("/ui/archive/"), "{}", first.text);
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "ada").await;
    assert!(page.text.contains("hr://checklist"), "{}", page.text);
    browser
        .submit(&link, &page, &[("key", "a-key-of-some-length")])
        .await;
    let retry = |state: String, answers: Value| {
        let client = client.clone();
        async move {
            let params = json!({ "uri": uri, "requestState": state, "inputResponses": answers });
            client.request("resources/read", Some(uri), params).await
        }
    };
    let second = retry(first.state(), json!({ "archive": { "action": "accept" } })).await;
    assert!(second.asks(), "{}", second.text);
    let focus = json!({ "focus": { "action": "accept", "content": { "topic": "keys" } } });
    let done = retry(second.state(), focus.clone()).await;
    assert_eq!(
        done.json["result"]["contents"][0]["text"],
        "archived keys hr://checklist/archived"
    );
    // A state is of the very URI.
    let other = "hr://checklist/ada";
    let params = json!({ "uri": other, "requestState": second.state(), "inputResponses": focus });
    let got = client.request("resources/read", Some(other), params).await;
    assert_eq!(got.code(), -32602);
}

#[tokio::test]
async fn suggestions_are_for_the_one_who_asks() {
    let client = client().await;
    let complete = |reference: Value, name: &str, value: &str| {
        let params = json!({
            "ref": reference,
            "argument": { "name": name, "value": value },
            "context": { "arguments": { "team": "core" } },
        });
        let client = client.clone();
        async move { client.request("completion/complete", None, params).await }
    };
    let template = json!({ "type": "ref/resource", "uri": "hr://checklist/{employee}" });
    let got = complete(template.clone(), "employee", "a").await;
    assert_eq!(
        got.json["result"]["completion"],
        json!({ "values": ["ada", "alan", "ada", "core"], "total": 4, "hasMore": false })
    );
    let prompt = json!({ "type": "ref/prompt", "name": "greet" });
    let got = complete(prompt.clone(), "tone", "F").await;
    assert_eq!(
        got.json["result"]["completion"]["values"],
        json!(["formal", "friendly"])
    );
    let got = complete(prompt.clone(), "name", "a").await;
    assert_eq!(got.json["result"]["completion"]["values"], json!([]));
    for bad in [
        json!({ "type": "ref/prompt", "name": "unknown" }),
        json!({ "type": "ref/resource", "uri": "office://other" }),
        json!({ "type": "ref/tool", "name": "open" }),
        json!({ "type": "ref/prompt" }),
        json!({}),
        json!("greet"),
    ] {
        let got = complete(bad.clone(), "name", "").await;
        assert_eq!(got.code(), -32602, "{bad}");
    }
}

#[tokio::test]
async fn suggestions_that_panic_or_never_come_are_an_error() {
    async fn broken(it: Completing) -> Vec<String> {
        match it.typed() {
            "panic" => panic!("of the author's"),
            _ => std::future::pending().await,
        }
    }
    /// Say something.
    #[prompt]
    async fn say(#[arg(complete = broken)] text: String) -> String {
        text
    }
    let limits = mcp_elicit::Limits::default().handler(std::time::Duration::from_millis(20));
    let app = server()
        .limits(limits)
        .tools(toolset![say])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada");
    for typed in ["panic", "never"] {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "say" },
            "argument": { "name": "text", "value": typed },
        });
        let got = client.request("completion/complete", None, params).await;
        assert_eq!((got.code(), got.status.as_u16()), (-32603, 200), "{typed}");
        assert!(!got.text.contains("author"));
    }
}

#[tokio::test]
async fn lists_come_in_pages() {
    let app = server()
        .limits(mcp_elicit::Limits::default().page(2))
        .tools(toolset![greet, welcome])
        .tools(Office)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada");
    let first = client.request("prompts/list", None, json!({})).await;
    let next = first.json["result"]["nextCursor"].clone();
    let second = client
        .request("prompts/list", None, json!({ "cursor": next }))
        .await;
    let result = &second.json["result"];
    assert_eq!(result["prompts"].as_array().unwrap().len(), 1);
    assert_eq!(result.get("nextCursor"), None);
    for bad in [json!("1"), json!(7), json!(""), json!("x")] {
        let got = client
            .request("prompts/list", None, json!({ "cursor": bad }))
            .await;
        assert_eq!(got.code(), -32602, "{bad}");
    }
}

#[tokio::test]
async fn names_and_uris_stand_for_one_thing() {
    let error = server()
        .tools(toolset![greet, greet, hours, hours, file, file])
        .build()
        .await
        .unwrap_err()
        .to_string();
    for part in [
        "two prompts are called `greet`",
        "two resources have the URI `office://hours`",
        "two resources have the template `files:///{+path}`",
    ] {
        assert!(error.contains(part), "{error}");
    }
}
