//! J: nobody is asked in a way that the client has not declared.

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

/// Your other account.
#[derive(Elicit)]
#[elicit(url = "/ui/other", fallback = "address")]
struct Other {
    #[secret]
    key: SecretString,
}

/// Asks in a form, as it says before.
#[tool(asks(Guest))]
async fn declared(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Guest>().await?.name)
}

/// Asks in a form without saying so.
#[tool]
async fn undeclared(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Guest>().await?.name)
}

/// Asks for a yes.
#[tool]
async fn confirms(cx: &Cx) -> Result<(), CallError> {
    Ok(cx.confirm("Go on?").await?)
}

/// Asks on a page.
#[tool(asks(Account))]
async fn page(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok(())
}

/// Asks on a page that has an address of its own.
#[tool(asks(Other))]
async fn address(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Other>().await?.key);
    Ok(())
}

/// Does without, if it has to.
#[tool]
async fn adapts(cx: &Cx) -> Result<String, CallError> {
    if !cx.can_ask::<Account>() {
        return Ok("without an account".to_owned());
    }
    drop(cx.ask::<Account>().await?.key);
    Ok("with an account".to_owned())
}

/// Asks both at once.
#[tool]
async fn both(cx: &Cx) -> Result<(), CallError> {
    let (_, account) = try_join!(cx.ask::<Guest>(), cx.ask::<Account>())?;
    drop(account.key);
    Ok(())
}

async fn client(capabilities: Value) -> Client {
    let tools = toolset![declared, undeclared, confirms, page, address, adapts, both];
    let app = server().tools(tools).build().await.unwrap();
    Client::new(&app, "alice").can(capabilities)
}

/// The call ended with what the client lacks, and asked nothing.
fn lacks(got: &Got, modes: Value) {
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (400, -32021),
        "{}",
        got.text
    );
    let required = &got.json["error"]["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({ "elicitation": modes }), "{}", got.text);
    assert!(!got.text.contains("input_required"), "{}", got.text);
}

#[tokio::test]
async fn j_045_links_alone_are_no_forms() {
    for capabilities in [
        json!({ "elicitation": { "url": {} } }),
        json!({}),
        json!({ "sampling": {}, "roots": {} }),
        json!({ "elicitation": { "url": {}, "forms": {}, "Form": {} } }),
        json!({ "Elicitation": { "form": {} } }),
        json!({ "experimental": { "elicitation": { "form": {} } } }),
    ] {
        let client = client(capabilities).await;
        for tool in ["declared", "undeclared", "confirms"] {
            lacks(&client.call(tool, json!({})).await, json!({ "form": {} }));
        }
        // An answer that comes along changes nothing.
        let answers = json!({ "confirm": accept(json!({ "confirm": true })) });
        let params = json!({ "inputResponses": answers });
        lacks(
            &client.call_with("confirms", params).await,
            json!({ "form": {} }),
        );
    }
}

#[tokio::test]
async fn what_is_no_object_declares_nothing() {
    for mode in [
        json!(null),
        json!(false),
        json!(true),
        json!([]),
        json!("yes"),
        json!(0),
    ] {
        for capabilities in [
            json!({ "elicitation": mode }),
            json!({ "elicitation": { "form": mode } }),
            json!({ "elicitation": { "url": mode } }),
            json!({ "elicitation": { "url": {}, "form": mode } }),
        ] {
            let client = client(capabilities.clone()).await;
            for tool in ["undeclared", "confirms", "page"] {
                let got = client.call(tool, json!({})).await;
                let is_refused = [-32602, -32021].contains(&got.code());
                assert!(
                    is_refused && got.status == 400,
                    "{capabilities}: {}",
                    got.text
                );
            }
        }
    }
}

#[tokio::test]
async fn j_046_an_entry_without_modes_is_forms_alone() {
    for capabilities in [
        json!({ "elicitation": {} }),
        json!({ "elicitation": { "form": {} } }),
        json!({ "elicitation": { "form": { "applyDefaults": true }, "other": {} } }),
        json!({ "elicitation": { "other": {} } }),
    ] {
        let client = client(capabilities).await;
        for tool in ["declared", "undeclared", "confirms"] {
            assert!(client.call(tool, json!({})).await.asks());
        }
        lacks(&client.call("page", json!({})).await, json!({ "url": {} }));
        lacks(&client.call("both", json!({})).await, json!({ "url": {} }));
    }
    let none = client(json!({})).await;
    lacks(
        &none.call("both", json!({})).await,
        json!({ "form": {}, "url": {} }),
    );
}

#[tokio::test]
async fn j_048_who_opens_no_links_gets_what_the_author_has_declared() {
    let client = client(json!({ "elicitation": { "form": {} } })).await;
    lacks(&client.call("page", json!({})).await, json!({ "url": {} }));
    let got = client.call("address", json!({})).await;
    assert!(got.is_error(), "{}", got.text);
    assert!(
        got.first_text().contains("http://127.0.0.1:3000/ui/other"),
        "{}",
        got.text
    );
    let got = client.call("adapts", json!({})).await;
    assert_eq!(got.first_text(), "without an account", "{}", got.text);
    for tool in ["page", "address", "adapts", "both"] {
        let got = client.call(tool, json!({})).await;
        assert!(!got.text.contains("requestedSchema"), "{}", got.text);
    }
}
