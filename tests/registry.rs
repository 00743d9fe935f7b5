//! What a server lists and to whom, what comes and goes while it serves, and headers that repeat arguments.

use axum::body::Body;
use mcp_elicit::auth::Principal;
use mcp_elicit::prelude::*;
use mcp_elicit::{
    App, Completing, Content, Cx, Icon, Limits, PromptArgument, RawArguments, Resource,
    ResourceContents, ResourceLink, Role, Theme, Tool,
};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

fn is_admin(principal: &Principal) -> bool {
    principal.subject() == "alice"
}

/// Says hello.
#[tool]
async fn hello() -> &'static str {
    "hello"
}

/// Removes everything.
#[tool(only_if = is_admin)]
async fn wipe() -> &'static str {
    "wiped"
}

/// Says what to remove.
#[prompt(only_if = is_admin)]
async fn wiping(#[arg(complete = kinds, title = "What kind")] kind: String) -> String {
    kind
}

async fn kinds(_: Completing) -> Vec<String> {
    vec!["all".to_owned()]
}

/// What was removed.
#[resource("log://wiped", only_if = is_admin)]
async fn wiped() -> &'static str {
    "nothing"
}

/// What was removed on a day.
#[resource("log://wiped/{day}", only_if = |it: &Principal| it.subject() == "alice")]
async fn wiped_on(day: String) -> String {
    day
}

/// What everybody may read of a log.
#[resource("log://{name}")]
async fn log(name: String) -> String {
    format!("the log {name}")
}

async fn guarded() -> App {
    let all = toolset![hello, wipe, wiping, wiped, wiped_on, log];
    server().tools(all).build().await.unwrap()
}

fn names(got: &Got, list: &str, key: &str) -> Vec<String> {
    let entries = got.json["result"][list].as_array();
    let entries = entries.unwrap_or_else(|| panic!("{}", got.text));
    entries
        .iter()
        .map(|it| it[key].as_str().unwrap().to_owned())
        .collect()
}

/// Sends a request with the headers that belong to it.
async fn ask(client: &Client, method: &str, params: Value) -> Got {
    let name = params["name"].as_str().or(params["uri"].as_str());
    let name = name.map(ToOwned::to_owned);
    client.request(method, name.as_deref(), params).await
}

/// What of an error may not differ between what is hidden and what does not exist.
fn error(got: &Got, name: &str) -> (u16, String) {
    (
        got.status.as_u16(),
        got.json["error"].to_string().replace(name, "NAME"),
    )
}

#[tokio::test]
async fn what_is_hidden_is_as_if_it_was_not_there() {
    let app = guarded().await;
    let (alice, bob) = (Client::new(&app, "alice"), Client::new(&app, "bob"));
    for (method, list, key, hidden) in [
        ("tools/list", "tools", "name", vec!["wipe"]),
        ("prompts/list", "prompts", "name", vec!["wiping"]),
        ("resources/list", "resources", "uri", vec!["log://wiped"]),
        (
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            vec!["log://wiped/{day}"],
        ),
    ] {
        let all = ask(&alice, method, json!({})).await;
        let some = ask(&bob, method, json!({})).await;
        let (all, seen) = (names(&all, list, key), names(&some, list, key));
        for name in hidden {
            assert!(all.contains(&name.to_owned()), "{all:?}");
            assert!(!seen.contains(&name.to_owned()), "{seen:?}");
        }
        assert_eq!(some.json["result"]["cacheScope"], "private", "{method}");
    }
    assert_eq!(alice.call("wipe", json!({})).await.first_text(), "wiped");
    let read = |client: &Client, uri: &str| {
        let (client, uri) = (client.clone(), uri.to_owned());
        async move { ask(&client, "resources/read", json!({ "uri": uri })).await }
    };
    let hidden = bob.call("wipe", json!({})).await;
    let unknown = bob.call("wope", json!({})).await;
    assert_eq!(error(&hidden, "wipe"), error(&unknown, "wope"));
    let get = |name: &str| json!({ "name": name, "arguments": { "kind": "x" } });
    let hidden = ask(&bob, "prompts/get", get("wiping")).await;
    let unknown = ask(&bob, "prompts/get", get("woping")).await;
    assert_eq!(error(&hidden, "wiping"), error(&unknown, "woping"));
    let hidden = read(&bob, "log://wiped/1").await;
    let unknown = read(&bob, "log://woped/1").await;
    assert_eq!(hidden.code(), -32602);
    assert_eq!(
        error(&hidden, "log://wiped/1"),
        error(&unknown, "log://woped/1")
    );
    // Behind what is hidden stands what everybody may read.
    let text = |got: &Got| got.json["result"]["contents"][0]["text"].clone();
    assert_eq!(text(&read(&alice, "log://wiped").await), "nothing");
    assert_eq!(text(&read(&bob, "log://wiped").await), "the log wiped");
    let complete = |reference: Value, name: &str| json!({ "ref": reference, "argument": { "name": name, "value": "" } });
    let of = |name: &str| complete(json!({ "type": "ref/prompt", "name": name }), "kind");
    let hidden = ask(&bob, "completion/complete", of("wiping")).await;
    let unknown = ask(&bob, "completion/complete", of("woping")).await;
    assert_eq!(error(&hidden, "wiping"), error(&unknown, "woping"));
    let of = |uri: &str| complete(json!({ "type": "ref/resource", "uri": uri }), "day");
    let hidden = ask(&bob, "completion/complete", of("log://wiped/{day}")).await;
    let unknown = ask(&bob, "completion/complete", of("log://woped/{day}")).await;
    assert_eq!(error(&hidden, "wiped"), error(&unknown, "woped"));
    let seen = ask(&alice, "completion/complete", of("log://wiped/{day}")).await;
    assert!(seen.json["result"]["completion"].is_object());
}

#[tokio::test]
async fn a_decision_that_panics_hides() {
    let tool = plain("a").only_if(|_| panic!("on purpose"));
    let app = server()
        .tools(vec![tool, plain("b")])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let listed = ask(&client, "tools/list", json!({})).await;
    assert_eq!(names(&listed, "tools", "name"), ["b"]);
    assert_eq!(client.call("a", json!({})).await.code(), -32602);
    assert_eq!(client.call("b", json!({})).await.first_text(), "{}");
}

async fn give_back(_: Cx, arguments: RawArguments) -> String {
    arguments.get().to_owned()
}

fn plain(name: &str) -> Tool {
    let schema = r#"{"type":"object"}"#;
    Tool::raw(name.to_owned(), "A tool.", schema, give_back)
}

async fn pages(client: &Client) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let got = page(client, &cursor).await;
        pages.push(names(&got, "tools", "name"));
        cursor = got.json["result"]["nextCursor"].clone();
        if cursor.is_null() {
            return pages;
        }
    }
}

async fn page(client: &Client, cursor: &Value) -> Got {
    let params = match cursor {
        Value::Null => json!({}),
        cursor => json!({ "cursor": cursor }),
    };
    ask(client, "tools/list", params).await
}

#[tokio::test]
async fn pages_are_whole_under_a_filter_and_while_tools_come_and_go() {
    let all: Vec<Tool> = (0..10)
        .map(|i| match i % 2 {
            0 => plain(&format!("t{i}")),
            _ => plain(&format!("t{i}")).only_if(is_admin),
        })
        .collect();
    let server = server().limits(Limits::default().page(2));
    let app = server.tools(all).build().await.unwrap();
    let (alice, bob) = (Client::new(&app, "alice"), Client::new(&app, "bob"));
    assert_eq!(pages(&alice).await.concat().len(), 10);
    let seen = pages(&bob).await;
    assert_eq!(
        seen,
        [vec!["t0", "t2"], vec!["t4", "t6"], vec!["t8"]],
        "each page is full, and the order is that of registration"
    );
    let first = page(&bob, &Value::Null).await;
    let cursor = first.json["result"]["nextCursor"].clone();
    assert!(app.unregister_tool("t2"), "the last one that was shown");
    assert!(app.unregister_tool("t6"));
    app.register(plain("new")).unwrap();
    let second = page(&bob, &cursor).await;
    assert_eq!(names(&second, "tools", "name"), ["t4", "t8"]);
    let third = page(&bob, &second.json["result"]["nextCursor"]).await;
    assert_eq!(names(&third, "tools", "name"), ["new"]);
    assert!(third.json["result"].get("nextCursor").is_none());
    let again = first.json["result"]["nextCursor"].as_str().unwrap();
    for bad in ["", "2", "x", &again[1..], &format!("{again}A")] {
        assert_eq!(page(&bob, &json!(bad)).await.code(), -32602, "{bad}");
    }
    let prompts = json!({ "cursor": again });
    assert_eq!(ask(&bob, "prompts/list", prompts).await.code(), -32601);
}

#[tokio::test]
async fn tools_come_and_go_while_the_server_serves() {
    let app = server().tools(toolset![hello]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let public = |got: &Got| got.json["result"]["cacheScope"] == "public";
    assert!(public(&ask(&client, "tools/list", json!({})).await));
    assert_eq!(ask(&client, "prompts/list", json!({})).await.code(), -32601);
    app.register(toolset![wipe, wiping, wiped]).unwrap();
    assert_eq!(client.call("wipe", json!({})).await.first_text(), "wiped");
    assert!(!public(&ask(&client, "tools/list", json!({})).await));
    let discovered = ask(&client, "server/discover", json!({})).await;
    let capabilities = &discovered.json["result"]["capabilities"];
    assert_eq!(capabilities["prompts"]["listChanged"], true);
    assert!(capabilities["completions"].is_object());
    // A name that is there already, and nothing of the rest either.
    let refused = app.register(vec![plain("other"), plain("hello"), plain("other")]);
    let refused = refused.unwrap_err();
    let problems: Vec<_> = refused.problems().collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].contains("the tool `hello` is there already")
            && problems[1].contains("two tools are called `other`"),
        "{problems:?}"
    );
    assert!(refused.to_string().starts_with("nothing was registered:"));
    assert_eq!(client.call("other", json!({})).await.code(), -32602);
    let bad = r#"{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#;
    for (schema, why) in [
        ("{", "is not JSON"),
        ("7", "is not a JSON object"),
        (r#"{"type":"array"}"#, "not an object"),
        (bad, "must be string, integer or boolean"),
    ] {
        let refused = app.register(Tool::raw("bad", "Bad.", schema, give_back));
        assert!(refused.unwrap_err().to_string().contains(why), "{schema}");
    }
    // In place of another, in its place.
    app.register(plain("last")).unwrap();
    app.replace(plain("hello")).unwrap();
    assert_eq!(client.call("hello", json!({})).await.first_text(), "{}");
    let listed = ask(&client, "tools/list", json!({})).await;
    assert_eq!(names(&listed, "tools", "name"), ["hello", "wipe", "last"]);
    assert!(app.unregister_tool("wipe") && !app.unregister_tool("wipe"));
    assert!(app.unregister_prompt("wiping") && !app.unregister_prompt("wiping"));
    assert!(app.unregister_resource("log://wiped"));
    assert_eq!(client.call("wipe", json!({})).await.code(), -32602);
    // Who knows that there were prompts may ask for none.
    let listed = ask(&client, "prompts/list", json!({})).await;
    assert_eq!(listed.json["result"]["prompts"], json!([]));
}

#[tokio::test]
async fn a_call_goes_on_with_what_it_began_with() {
    let (begun, waits) = tokio::sync::oneshot::channel();
    let (go, told) = tokio::sync::oneshot::channel();
    let both = std::sync::Mutex::new(Some((begun, told)));
    let slow = Tool::raw("slow", "Waits.", r#"{"type":"object"}"#, move |_, _| {
        let both = both.lock().unwrap().take();
        async move {
            let (begun, told) = both.unwrap();
            begun.send(()).unwrap();
            told.await.unwrap();
            "done"
        }
    });
    let app = server().tools(slow).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let call =
        tokio::spawn(async move { client.call("slow", json!({})).await.first_text().to_owned() });
    waits.await.unwrap();
    assert!(app.unregister_tool("slow"));
    go.send(()).unwrap();
    assert_eq!(call.await.unwrap(), "done");
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Another account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", key = "other")]
struct OtherAccount {
    #[secret]
    key: SecretString,
}

/// Uses the account.
#[tool(asks(Account))]
async fn account(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let _ = account.key;
    Ok("used".into())
}

/// Uses the other account.
#[tool(asks(OtherAccount))]
async fn other_account(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<OtherAccount>().await?;
    let _ = account.key;
    Ok("used".into())
}

#[tokio::test]
async fn what_asks_on_a_page_is_checked_when_it_comes() {
    let app = server().build().await.unwrap();
    app.register(toolset![account]).unwrap();
    let got = Client::new(&app, "alice").call("account", json!({})).await;
    assert!(got.asks(), "{}", got.text);
    let refused = app.register(toolset![other_account]).unwrap_err();
    assert!(
        refused.to_string().contains("has the page `/ui/account`"),
        "{refused}"
    );
    let nobody = server()
        .auth(mcp_elicit::auth::Anonymous)
        .build()
        .await
        .unwrap();
    let refused = nobody.register(toolset![account]).unwrap_err();
    assert!(refused.to_string().contains("`Anonymous`"), "{refused}");
}

#[tokio::test]
async fn a_schema_survives_as_it_is_given() {
    let schema = r##"{ "type" : "object", "$schema": "https://json-schema.org/draft/2020-12/schema",
        "zebra": "a \" b", "properties": { "z": { "$ref": "#/$defs/a" }, "a": true },
        "$defs": { "a": { "$anchor": "here", "type": "string" } }, "maximum": 1.50,
        "if": { "required": ["z"] }, "then": { "required": ["a"] }, "allOf": [{ "anyOf": [{}] }] }"##;
    let output = r#"{"type":"array"}"#;
    let tool = Tool::raw("raw", "Raw.", schema, give_back).output_schema(output);
    let listing = tool.listing();
    let compact = r##"{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","zebra":"a \" b","properties":{"z":{"$ref":"#/$defs/a"},"a":true},"$defs":{"a":{"$anchor":"here","type":"string"}},"maximum":1.50,"if":{"required":["z"]},"then":{"required":["a"]},"allOf":[{"anyOf":[{}]}]}"##;
    assert!(
        listing.contains(&format!(
            r#""inputSchema":{compact},"outputSchema":{output}"#
        )),
        "{listing}"
    );
    let app = server().tools(tool).build().await.unwrap();
    let client = Client::new(&app, "alice");
    // What its output schema promises is not there.
    let got = client.call("raw", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    for (arguments, code) in [(json!([]), -32602), (json!("x"), -32602)] {
        assert_eq!(client.call("raw", arguments).await.code(), code);
    }
}

/// The arguments, whatever the schema says.
#[tool(input_schema = r#"{"type":"object","properties":{"n":{"type":"integer","multipleOf":3}}}"#)]
async fn thirds(n: u8) -> String {
    n.to_string()
}

#[tokio::test]
async fn a_typed_tool_may_have_a_schema_of_its_own() {
    let app = server().tools(toolset![thirds]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let listed = ask(&client, "tools/list", json!({})).await;
    let schema = &listed.json["result"]["tools"][0]["inputSchema"];
    assert_eq!(schema["properties"]["n"]["multipleOf"], 3);
    assert_eq!(
        client.call("thirds", json!({ "n": 6 })).await.first_text(),
        "6"
    );
    assert!(client.call("thirds", json!({ "n": "x" })).await.is_error());
}

/// Where to do it.
#[derive(mcp_elicit::serde::Deserialize, mcp_elicit::schemars::JsonSchema)]
#[serde(crate = "mcp_elicit::serde", rename_all = "lowercase")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Region {
    /// In Europe
    Eu,
    /// In America
    Us,
}

/// Runs a query.
#[tool]
async fn query(
    #[arg(header = "Region")] region: Region,
    #[arg(header = "Rows")] rows: Option<u64>,
    #[arg(header = "Dry-Run", rename = "dryRun", default)] dry: bool,
    sql: String,
) -> String {
    let region = match region {
        Region::Eu => "eu",
        Region::Us => "us",
    };
    format!("{region} {rows:?} {dry} {sql}")
}

/// A call with headers beside the usual ones.
async fn with(client: &Client, headers: &[(&str, &str)], arguments: Value) -> Got {
    let params = json!({ "name": "query", "arguments": arguments, "_meta": client.meta() });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut request = client.build("tools/call", Some("query"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_string())).unwrap();
    client.send(request).await
}

#[tokio::test]
async fn headers_repeat_arguments() {
    let app = server()
        .tools(toolset![query, hello])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let listed = ask(&client, "tools/list", json!({})).await;
    let properties = &listed.json["result"]["tools"][0]["inputSchema"]["properties"];
    assert_eq!(properties["region"]["x-mcp-header"], "Region");
    assert_eq!(properties["region"]["type"], "string");
    assert_eq!(properties["rows"]["maximum"], 9_007_199_254_740_991_u64);
    assert_eq!(properties["dryRun"]["x-mcp-header"], "Dry-Run");
    assert!(properties["sql"].get("x-mcp-header").is_none());
    let all = json!({ "region": "eu", "rows": 42, "dryRun": true, "sql": "select" });
    let right = [
        ("Mcp-Param-Region", "eu"),
        ("mcp-param-rows", "42.0"),
        ("MCP-PARAM-DRY-RUN", "true"),
    ];
    let got = with(&client, &right, all.clone()).await;
    assert_eq!(got.first_text(), "eu Some(42) true select", "{}", got.text);
    let some = json!({ "region": "eu", "rows": null, "sql": "select" });
    let got = with(&client, &right[..1], some.clone()).await;
    assert_eq!(got.first_text(), "eu None false select", "{}", got.text);
    for (headers, arguments) in [
        (vec![], all.clone()),
        (vec![right[0], right[1]], all.clone()),
        (
            vec![("Mcp-Param-Region", "us"), right[1], right[2]],
            all.clone(),
        ),
        (vec![right[0], right[0], right[1], right[2]], all.clone()),
        (
            vec![right[0], ("Mcp-Param-Rows", "43"), right[2]],
            all.clone(),
        ),
        (
            vec![right[0], right[1], ("Mcp-Param-Dry-Run", "1")],
            all.clone(),
        ),
        (vec![right[0], right[1]], some.clone()),
    ] {
        let got = with(&client, &headers, arguments).await;
        assert_eq!(
            (got.status.as_u16(), got.code()),
            (400, -32020),
            "{headers:?} {}",
            got.text
        );
        assert!(
            got.json["error"]["message"]
                .as_str()
                .unwrap()
                .contains("Mcp-Param-")
        );
        assert!(got.json["id"].is_number() || got.json["id"].is_string());
    }
    // What the header says is right, and the argument wrong: that is for the model to mend.
    let wrong = json!({ "region": "eu", "rows": 1.5, "sql": "x" });
    let got = with(&client, &[right[0], ("Mcp-Param-Rows", "1.5")], wrong).await;
    assert!(got.is_error(), "{}", got.text);
    // Headers that nothing asks for are of no interest.
    let got = with(
        &client,
        &[right[0], ("Mcp-Param-Other", "x")],
        json!({ "region": "eu", "sql": "x" }),
    )
    .await;
    assert_eq!(got.first_text(), "eu None false x");
}

#[tokio::test]
async fn all_that_the_protocol_shows_can_be_said() {
    let icon = || {
        Icon::new("https://example.com/a.png")
            .mime_type("image/png")
            .sizes(["48x48"])
            .theme(Theme::Dark)
    };
    let told = json!({ "src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark" });
    let prompt = mcp_elicit::Prompt::new("p", "A prompt.", handler)
        .arguments([PromptArgument::new("a", "An argument.").title("The argument")])
        .icon(icon())
        .meta("com.example/rank", 7);
    let resource = |uri: &'static str| {
        Resource::new(uri, "name", handler)
            .title("A resource")
            .icon(icon())
            .size(42)
            .audience([Role::User])
            .priority(0.5)
            .last_modified("2025-01-12T15:00:58Z")
            .meta("ui", json!({ "a": 1 }))
    };
    let all = server()
        .title("Test server")
        .description("Tests.")
        .website("https://example.com")
        .icon(icon())
        .extension(
            "io.modelcontextprotocol/ui",
            json!({ "mimeTypes": ["text/html"] }),
        )
        .experimental("x", json!({}))
        .list_ttl(std::time::Duration::from_secs(7))
        .tools(
            plain("t")
                .title("T")
                .icon(icon())
                .icon("data:image/png;base64,AA==")
                .meta("ui", "x"),
        )
        .tools(prompt)
        .tools(resource("a://b"))
        .tools(resource("a://{c}"));
    let app = all.build().await.unwrap();
    let client = Client::new(&app, "alice");
    let of = |method: &'static str| {
        let client = client.clone();
        async move { ask(&client, method, json!({})).await.json["result"].clone() }
    };
    let discovered = of("server/discover").await;
    assert_eq!(discovered["ttlMs"], 7000);
    assert_eq!(
        discovered["capabilities"]["extensions"]["io.modelcontextprotocol/ui"]["mimeTypes"][0],
        "text/html"
    );
    assert_eq!(
        discovered["capabilities"]["experimental"],
        json!({ "x": {} })
    );
    assert_eq!(
        discovered["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({ "name": "test", "version": "1.0.0", "title": "Test server", "description": "Tests.", "websiteUrl": "https://example.com", "icons": [told] })
    );
    let tools = of("tools/list").await;
    assert_eq!(tools["ttlMs"], 7000);
    assert_eq!(
        tools["_meta"]["io.modelcontextprotocol/serverInfo"]["title"],
        "Test server"
    );
    assert!(
        tools["_meta"]["io.modelcontextprotocol/serverInfo"]
            .get("icons")
            .is_none()
    );
    let tool = &tools["tools"][0];
    assert_eq!(
        (&tool["icons"][0], &tool["icons"][1]["src"]),
        (&told, &json!("data:image/png;base64,AA=="))
    );
    assert_eq!(
        (&tool["title"], &tool["_meta"]),
        (&json!("T"), &json!({ "ui": "x" }))
    );
    let prompt = of("prompts/list").await["prompts"][0].clone();
    assert_eq!(prompt["arguments"][0]["title"], "The argument");
    assert_eq!(
        (&prompt["icons"][0], &prompt["_meta"]),
        (&told, &json!({ "com.example/rank": 7 }))
    );
    let plain = of("resources/list").await["resources"][0].clone();
    let annotations =
        json!({ "audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z" });
    assert_eq!(
        (&plain["size"], &plain["annotations"], &plain["icons"][0]),
        (&json!(42), &annotations, &told)
    );
    assert_eq!(plain["_meta"], json!({ "ui": { "a": 1 } }));
    let template = of("resources/templates/list").await["resourceTemplates"][0].clone();
    assert_eq!(
        (template.get("size"), &template["annotations"]),
        (None, &annotations)
    );
    let link = ResourceLink::new("a:b", "b").icon(icon());
    let link = serde_json::to_value(Content::from(link).meta("k", 1)).unwrap();
    assert_eq!(
        (&link["icons"][0], &link["_meta"]),
        (&told, &json!({ "k": 1 }))
    );
    let contents = serde_json::to_value(ResourceContents::text("a:b", "x").meta("ui", 1)).unwrap();
    assert_eq!(
        contents,
        json!({ "uri": "a:b", "text": "x", "_meta": { "ui": 1 } })
    );
}

fn handler(
    _: Cx,
    _: Option<&serde_json::value::RawValue>,
) -> Result<mcp_elicit::HandlerFuture, mcp_elicit::BadArguments> {
    Ok(Box::pin(async {
        Ok(mcp_elicit::Reply::contents(vec![ResourceContents::text(
            "a://b", "x",
        )]))
    }))
}

#[tokio::test]
async fn what_cannot_be_shown_is_a_mistake() {
    let faulty = server()
        .icon("javascript:alert(1)")
        .website("example.com")
        .extension("bare", json!({}))
        .extension("com.example/x", 7)
        .tools(plain("t").icon("file:///a").meta("-", 1))
        .tools(Resource::new("a://b", "b", handler).icon(Icon::new("https://a").sizes(["big"])));
    let error = faulty.build().await.unwrap_err();
    let problems: Vec<_> = error.problems().collect();
    for part in [
        "the icon `javascript:alert(1)`",
        "the website `example.com`",
        "the extension `bare` has no prefix",
        "the settings of the extension `com.example/x`",
        "the tool `t`: the icon `file:///a`",
        "the tool `t`: `-` is no key",
        "the resource `a://b`: the size `big`",
    ] {
        assert!(
            problems.iter().any(|it| it.contains(part)),
            "{part}: {problems:?}"
        );
    }
    assert_eq!(problems.len(), 7, "{problems:?}");
}

/// What is your name?
#[derive(Elicit)]
struct Name {
    name: String,
}

/// The same for all.
#[resource("a://shared", ttl = std::time::Duration::from_secs(60), shared)]
async fn shared() -> &'static str {
    "x"
}

/// The user's own.
#[resource("a://asked", ttl = std::time::Duration::from_secs(60), shared)]
async fn asked(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Name>().await?.name)
}

/// Seen by some.
#[resource("a://hidden", shared, only_if = is_admin)]
async fn hidden() -> &'static str {
    "x"
}

/// Not kept.
#[resource("a://usual")]
async fn usual() -> &'static str {
    "x"
}

#[tokio::test]
async fn what_was_read_is_kept_as_its_author_says() {
    let all = toolset![shared, asked, hidden, usual];
    let app = server().tools(all).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let caching = |got: &Got| {
        let result = &got.json["result"];
        (
            result["ttlMs"].as_u64(),
            result["cacheScope"].as_str().map(ToOwned::to_owned),
        )
    };
    for (uri, ttl, scope) in [
        ("a://shared", 60_000, "public"),
        ("a://hidden", 0, "private"),
        ("a://usual", 0, "private"),
    ] {
        let got = ask(&client, "resources/read", json!({ "uri": uri })).await;
        assert_eq!(caching(&got), (Some(ttl), Some(scope.to_owned())), "{uri}");
    }
    let asked = ask(&client, "resources/read", json!({ "uri": "a://asked" })).await;
    assert_eq!(caching(&asked), (None, None));
    let answer = json!({ "name": { "action": "accept", "content": { "name": "Ada" } } });
    let params =
        json!({ "uri": "a://asked", "requestState": asked.state(), "inputResponses": answer });
    let got = ask(&client, "resources/read", params).await;
    assert_eq!(
        got.json["result"]["contents"][0]["text"], "Ada",
        "{}",
        got.text
    );
    assert_eq!(caching(&got), (Some(0), Some("private".to_owned())));
}

/// What everybody may say.
#[prompt]
async fn usual_prompt() -> &'static str {
    "hello"
}

#[tokio::test]
async fn a_resource_that_is_hidden_or_gone_is_told_of_no_more() {
    let app = server().tools(toolset![hello, log]).build().await.unwrap();
    let shared = || Resource::new("note://shared", "note", handler);
    app.register(shared()).unwrap();
    let wanted = json!({ "resourceSubscriptions": ["note://shared", "log://a"] });
    let mut bob = Client::new(&app, "bob").listen(wanted).await;
    let told = bob.next().await.unwrap();
    let watched = &told["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(watched.as_array().unwrap().len(), 2);
    let mut hears = async || {
        app.changes().resource_updated("note://shared");
        let first = tokio::time::timeout(std::time::Duration::from_millis(100), bob.next());
        first.await.ok().flatten().map(|it| it["method"].clone())
    };
    assert_eq!(
        hears().await,
        Some(json!("notifications/resources/updated"))
    );
    app.replace(shared().only_if(is_admin)).unwrap();
    assert_eq!(hears().await, None);
    app.replace(shared()).unwrap();
    assert!(hears().await.is_some());
    app.unregister_resource("note://shared");
    assert_eq!(hears().await, None);
}

/// Takes its companion away with itself.
struct Together(App, &'static str);

impl Drop for Together {
    fn drop(&mut self) {
        self.0.unregister_tool(self.1);
    }
}

fn together(app: &App, name: &'static str, with: &'static str) -> Tool {
    let kept = std::sync::Arc::new(Together(app.clone(), with));
    Tool::raw(name, "One of two.", r#"{"type":"object"}"#, move |_, _| {
        let _kept = std::sync::Arc::clone(&kept);
        async { "one" }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_taken_away_may_take_others_with_it() {
    let app = server().tools(toolset![hello]).build().await.unwrap();
    let (told, done) = std::sync::mpsc::channel();
    let other = app.clone();
    // In a thread of its own, since it would wait for itself for ever.
    std::thread::spawn(move || {
        other.register(plain("companion")).unwrap();
        other
            .register(together(&other, "first", "companion"))
            .unwrap();
        assert!(other.unregister_tool("first"));
        other.register(plain("companion")).unwrap();
        // What is refused is dropped too.
        let refused = together(&other, "hello", "companion");
        assert!(other.register(refused).is_err());
        other.register(together(&other, "first", "hello")).unwrap();
        other.replace(plain("first")).unwrap();
        told.send(()).unwrap();
    });
    let done = done.recv_timeout(std::time::Duration::from_secs(10));
    done.expect("nobody waits for himself");
    let listed = ask(&Client::new(&app, "bob"), "tools/list", json!({})).await;
    assert_eq!(names(&listed, "tools", "name"), ["first"]);
}

#[tokio::test]
async fn who_listens_hears_of_what_comes_and_goes() {
    let all = toolset![hello, wipe, wiping, wiped];
    let app = server().tools(all).build().await.unwrap();
    let wanted = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["log://wiped"],
    });
    let mut alice = Client::new(&app, "alice").listen(wanted.clone()).await;
    let mut bob = Client::new(&app, "bob").listen(wanted).await;
    let watched = |told: &Value| told["params"]["notifications"]["resourceSubscriptions"].clone();
    assert_eq!(
        watched(&alice.next().await.unwrap()),
        json!(["log://wiped"])
    );
    // What is hidden from him is not there to be watched.
    assert_eq!(watched(&bob.next().await.unwrap()), Value::Null);
    app.register(plain("more")).unwrap();
    let told = bob.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    let told = alice.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    app.register(toolset![usual_prompt]).unwrap();
    let told = bob.next().await.unwrap();
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    app.unregister_prompt("usual_prompt");
    let told = bob.next().await.unwrap();
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    app.replace(toolset![log]).unwrap();
    let told = bob.next().await.unwrap();
    assert_eq!(told["method"], "notifications/resources/list_changed");
    while !alice.is_quiet().await {}
    // What is hidden from him may come, change and go.
    assert!(app.unregister_tool("wipe"));
    app.register(toolset![wipe]).unwrap();
    app.replace(toolset![wipe, wiping, wiped]).unwrap();
    assert!(bob.is_quiet().await);
    for list in ["tools", "prompts", "resources"] {
        let told = alice.next().await.unwrap();
        let expected = format!("notifications/{list}/list_changed");
        assert_eq!(told["method"], expected);
    }
    // What was refused, or was not there, has changed nothing.
    assert!(app.register(plain("more")).is_err());
    assert!(!app.unregister_tool("nothing"));
    assert!(bob.is_quiet().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_from_several_threads_lose_nothing() {
    let app = server().tools(plain("first")).build().await.unwrap();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let app = app.clone();
            std::thread::spawn(move || {
                for i in 0..25 {
                    app.register(plain(&format!("t{thread}_{i}"))).unwrap();
                }
                for i in 0..24 {
                    assert!(app.unregister_tool(&format!("t{thread}_{i}")));
                }
            })
        })
        .collect();
    let client = Client::new(&app, "alice");
    while !threads.iter().all(std::thread::JoinHandle::is_finished) {
        let listed = ask(&client, "tools/list", json!({})).await;
        let names = names(&listed, "tools", "name");
        assert_eq!(names[0], "first");
        let once: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let listed = ask(&client, "tools/list", json!({})).await;
    assert_eq!(names(&listed, "tools", "name").len(), 5);
}
