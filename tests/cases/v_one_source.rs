//! V: a tool is written once, as a function, whatever surrounds it.

use super::*;

/// What two numbers make together.
#[derive(Elicit)]
#[elicit(message = "Which number shall be added?")]
struct Number {
    number: u8,
}

/// Adds.
#[tool]
async fn add(cx: &Cx, to: u8) -> Result<String, CallError> {
    let number = cx.ask::<Number>().await?.number;
    Ok((u32::from(to) + u32::from(number)).to_string())
}

/// Adds, in a prompt.
#[prompt]
async fn add_prompt(cx: &Cx, to: u8) -> Result<String, CallError> {
    add(cx, to).await
}

/// Adds, in a resource.
#[resource("test://add/{to}")]
async fn add_resource(cx: &Cx, to: u8) -> Result<String, CallError> {
    add(cx, to).await
}

#[tokio::test]
async fn v_098_a_macro_is_enough_to_ask() {
    let tools = toolset![add, add_prompt, add_resource];
    let client = Client::new(&server().tools(tools).build().await.unwrap(), "alice");
    for (method, name, params, at) in [
        (
            "tools/call",
            "add",
            json!({ "name": "add", "arguments": { "to": 3 } }),
            "/content/0/text",
        ),
        (
            "prompts/get",
            "add_prompt",
            json!({ "name": "add_prompt", "arguments": { "to": "3" } }),
            "/messages/0/content/text",
        ),
        (
            "resources/read",
            "test://add/3",
            json!({ "uri": "test://add/3" }),
            "/contents/0/text",
        ),
    ] {
        let one = client.request(method, Some(name), params.clone()).await;
        assert!(
            one.asks() && one.asked("number").is_object(),
            "{}",
            one.text
        );
        let mut params = params;
        params["requestState"] = one.state().into();
        params["inputResponses"] = json!({ "number": accept(json!({ "number": 4 })) });
        let got = client.request(method, Some(name), params).await;
        assert_eq!(
            got.json["result"].pointer(at),
            Some(&json!("7")),
            "{}",
            got.text
        );
    }
}

/// Names that a macro might use, taken by others; and the library under another name.
mod surroundings {
    #![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
    #![allow(dead_code, reason = "it is here to be in the way")]
    #![no_implicit_prelude]

    extern crate mcp_elicit as elicit_other;

    use ::std::string::String as Text;
    use elicit_other::{Choice, Elicit, tool};

    pub(crate) struct Option;
    pub(crate) struct Result;
    pub(crate) struct String;
    pub(crate) struct Vec;
    pub(crate) struct Box;
    pub(crate) enum Some {}
    pub(crate) enum Ok {}
    pub(crate) mod core {}
    pub(crate) mod std {}
    pub(crate) mod serde {}
    pub(crate) mod mcp_elicit {}

    #[derive(Choice)]
    #[choice(crate = elicit_other)]
    pub(crate) enum Level {
        Low,
        High,
    }

    /// Which level?
    #[derive(Elicit)]
    #[elicit(crate = elicit_other)]
    pub(crate) struct Which {
        pub(crate) level: Level,
        pub(crate) note: ::std::option::Option<Text>,
        #[elicit(default = "x")]
        pub(crate) name: Text,
    }

    /// Asks which.
    #[tool(crate = elicit_other)]
    pub(crate) async fn which(
        cx: &elicit_other::Cx,
        more: ::std::option::Option<Text>,
    ) -> ::std::result::Result<Text, elicit_other::CallError> {
        let _ = more;
        ::std::result::Result::Ok(cx.ask::<Which>().await?.name)
    }
}

#[tokio::test]
async fn v_101_names_of_others_are_not_in_the_way() {
    let app = server()
        .tools(toolset![surroundings::which])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("which", json!({})).await;
    let answers = json!({ "which": accept(json!({ "level": "low", "name": "y" })) });
    let got = client
        .retry("which", json!({}), &one.state(), answers)
        .await;
    assert_eq!(got.first_text(), "y", "{}", got.text);
    // A crate of its own, in which the library has another name and every lint is an error, is a member of
    // the workspace, so that it compiles with it; the oldest compiler is the one that is declared.
    let workspace = fs::read_to_string("../Cargo.toml").unwrap();
    assert!(workspace.contains("\"tests/hostile\"") && workspace.contains("rust-version"));
    let hostile = fs::read_to_string("hostile/Cargo.toml").unwrap();
    assert!(hostile.contains("elicit = { package = \"mcp-elicit\""));
    let code = fs::read_to_string("hostile/lib.rs").unwrap();
    assert!(code.contains("#![deny(warnings"));
}

#[tokio::test]
async fn v_102_a_server_is_known_by_its_own_name() {
    let app = Server::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .auth(mcp_elicit::auth::DevUsers)
        .tools(toolset![add])
        .store(mcp_elicit::store::MemoryStore::new())
        .keyring(mcp_elicit_tests::keyring())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let own = json!({ "name": "mcp-elicit-tests", "version": env!("CARGO_PKG_VERSION") });
    for got in [
        client.request("server/discover", None, json!({})).await,
        client.request("tools/list", None, json!({})).await,
        client.call("add", json!({ "to": 1 })).await,
    ] {
        let meta = &got.json["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(*meta, own, "{}", got.text);
    }
    // A server without a name does not start.
    for (name, version) in [("", "1"), (" ", "1"), ("a", "")] {
        let server = Server::new(name, version).store(mcp_elicit::store::MemoryStore::new());
        assert!(server.build().await.is_err(), "{name:?} {version:?}");
    }
}
