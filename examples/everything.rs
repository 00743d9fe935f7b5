//! Every feature in its smallest form, under the names that the official conformance suite calls.
//!
//! Run it with `cargo run --example everything`; `cargo xtask verify` judges it.

#![expect(
    deprecated,
    reason = "sampling and roots are deprecated, and still features"
)]

mod common;

use std::time::Duration;

use mcp_elicit::auth::DevUsers;
use mcp_elicit::client::{Root, Roots, Sample, Sampling};
use mcp_elicit::prelude::*;
use mcp_elicit::{Completing, Content, LogLevel, RawArguments, ResourceContents, Tool};

/// A picture of one red point.
const PICTURE: &[u8] = include_bytes!("common/point.png");
/// A sound of no length.
const SOUND: &[u8] = include_bytes!("common/silence.wav");

/// Returns a fixed text.
#[tool]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Fails on purpose.
#[tool]
async fn test_error_handling() -> Result<String, CallError> {
    Err("This tool intentionally returns an error for testing.".into())
}

/// Returns an image.
#[tool]
async fn test_image_content() -> Content {
    Content::image(PICTURE, "image/png")
}

/// Returns a sound.
#[tool]
async fn test_audio_content() -> Content {
    Content::audio(SOUND, "audio/wav")
}

/// Returns a resource with its contents.
#[tool]
async fn test_embedded_resource() -> Content {
    embedded("test://embedded-resource")
}

/// Returns text, an image and a resource.
#[tool]
async fn test_multiple_content_types() -> Vec<Content> {
    vec![
        Content::text("Multiple content types test:"),
        Content::image(PICTURE, "image/png"),
        embedded("test://mixed-content-resource"),
    ]
}

fn embedded(uri: &str) -> Content {
    ResourceContents::text(uri, "This is an embedded resource.")
        .mime_type("text/plain")
        .into()
}

/// A prompt without arguments.
#[prompt]
async fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A prompt with two arguments.
#[prompt]
async fn test_prompt_with_arguments(
    /// The first argument
    #[arg(complete = suggestions)]
    arg1: String,
    /// The second argument
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn suggestions(it: Completing) -> Vec<String> {
    let all = ["test", "testing", "value"].into_iter();
    let fitting = all.filter(|value| value.starts_with(it.typed()));
    fitting.map(ToOwned::to_owned).collect()
}

/// A prompt with a resource.
#[prompt]
async fn test_prompt_with_embedded_resource(
    /// The URI of the resource
    #[arg(rename = "resourceUri")]
    uri: String,
) -> Messages {
    Messages::new()
        .user(embedded(&uri))
        .user("Please process the embedded resource above.")
}

/// A prompt with an image.
#[prompt]
async fn test_prompt_with_image() -> Messages {
    Messages::new()
        .user(Content::image(PICTURE, "image/png"))
        .user("Please analyze the image above.")
}

/// What should the prompt know?
#[derive(Elicit)]
#[elicit(key = "user_context")]
struct UserContext {
    context: String,
}

/// A prompt that asks the user.
#[prompt]
async fn test_input_required_result_prompt(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserContext>().await?;
    Ok(format!("The context is: {}", user.context))
}

/// A text that does not change.
#[resource("test://static-text", mime = "text/plain")]
async fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// Bytes that do not change.
#[resource("test://static-binary", mime = "image/png")]
async fn static_binary() -> Vec<u8> {
    PICTURE.to_vec()
}

/// A resource whose changes may be watched.
#[resource("test://watched-resource", mime = "text/plain")]
async fn watched_resource() -> &'static str {
    "Watched resource content"
}

/// Data with an id.
#[resource("test://template/{id}/data", mime = "application/json")]
async fn template_data(id: String) -> String {
    format!(r#"{{"id":"{id}","data":"Data for ID: {id}"}}"#)
}

/// What is your name?
#[derive(Elicit)]
#[elicit(key = "user_name")]
struct UserName {
    name: String,
}

/// Greets the user by the name that the user gives.
#[tool]
async fn test_input_required_result_elicitation(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserName>().await?;
    Ok(format!("Hello, {}!", user.name))
}

/// Is everything all right?
#[derive(Elicit)]
#[elicit(key = "confirm")]
struct AllRight {
    ok: bool,
}

/// Asks once and carries its state through the client.
#[tool]
async fn test_input_required_result_request_state(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.ask::<AllRight>().await?;
    Ok(format!("state-ok: {}", answer.ok))
}

/// Asks once; a state that was changed is refused.
#[tool]
async fn test_input_required_result_tampered_state(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.ask::<AllRight>().await?;
    Ok(format!("state-ok: {}", answer.ok))
}

/// First: what is your name?
#[derive(Elicit)]
#[elicit(key = "step1")]
struct FirstStep {
    name: String,
}

/// Second: what is your favourite colour?
#[derive(Elicit)]
#[elicit(key = "step2")]
struct SecondStep {
    color: String,
}

/// Asks two questions, one after the other.
#[tool]
async fn test_input_required_result_multi_round(cx: &Cx) -> Result<String, CallError> {
    let first = cx.ask::<FirstStep>().await?;
    let second = cx.ask::<SecondStep>().await?;
    Ok(format!("{} likes {}.", first.name, second.color))
}

/// Asks once; the answer never travels on the stream of the call.
#[tool]
async fn test_streaming_elicitation(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserName>().await?;
    Ok(format!("Hello, {}!", user.name))
}

/// Reports its progress.
#[tool]
async fn test_tool_with_progress(cx: &Cx) -> &'static str {
    for percent in [0, 50, 100] {
        cx.progress(percent, 100);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "Done."
}

/// Tells the client's log three times what it does.
#[tool]
#[expect(deprecated, reason = "the protocol still has log messages")]
async fn test_tool_with_logging(cx: &Cx) -> &'static str {
    for text in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        cx.log(LogLevel::Info, text);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "Done."
}

/// Tells the client's log what it does, as far as the client asks for it.
#[tool]
#[expect(deprecated, reason = "the protocol still has log messages")]
async fn test_logging_tool(cx: &Cx) -> &'static str {
    cx.log(LogLevel::Info, "The tool was called.");
    "Done."
}

/// Tells clients that listen that the tools have changed.
#[tool]
async fn test_trigger_tool_change(cx: &Cx) -> &'static str {
    cx.changes().tools_changed();
    "Told."
}

/// Tells clients that listen that the prompts have changed.
#[tool]
async fn test_trigger_prompt_change(cx: &Cx) -> &'static str {
    cx.changes().prompts_changed();
    "Told."
}

/// Needs what the caller may not have declared.
#[tool(asks(Sampling))]
async fn test_missing_capability(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.sample(Sample::new(100).user("Hello")).await?.text())
}

/// Asks the model of the client.
#[tool(asks(Sampling))]
async fn test_sampling(
    cx: &Cx,
    /// What the model is asked
    prompt: String,
) -> Result<String, CallError> {
    let answer = cx.sample(Sample::new(100).user(prompt)).await?;
    Ok(format!("LLM response: {}", answer.text()))
}

/// Asks the model of the client for a capital.
#[tool(asks(Sampling))]
async fn test_input_required_result_sampling(cx: &Cx) -> Result<String, CallError> {
    let question = Sample::new(100).user("What is the capital of France?");
    let answer = cx.sample(question).key("capital_question").await?;
    Ok(format!("{} says: {}", answer.model, answer.text()))
}

/// Asks the client for its roots.
#[tool(asks(Roots))]
async fn test_input_required_result_list_roots(cx: &Cx) -> Result<String, CallError> {
    let roots = cx.roots().key("client_roots").await?;
    Ok(format!("The roots are: {}", uris(&roots)))
}

fn uris(roots: &[Root]) -> String {
    let uris: Vec<_> = roots.iter().map(|root| root.uri.as_str()).collect();
    uris.join(", ")
}

/// Asks the user, the model of the client and the client for its roots, all at once.
#[tool(asks(UserName, Sampling, Roots))]
async fn test_input_required_result_multiple_inputs(cx: &Cx) -> Result<String, CallError> {
    let (user, greeting, roots) = try_join!(
        cx.ask::<UserName>(),
        cx.sample(Sample::new(50).user("Generate a greeting"))
            .key("greeting"),
        cx.roots().key("client_roots"),
    )?;
    let (name, greeting, roots) = (user.name, greeting.text(), uris(&roots));
    Ok(format!("{name}: {greeting} ({roots})"))
}

/// Asks only for what the client can be asked for.
#[tool]
async fn test_input_required_result_capabilities(cx: &Cx) -> Result<String, CallError> {
    let user = async {
        match cx.can_ask::<UserName>() {
            true => Ok(Some(cx.ask::<UserName>().await?.name)),
            false => Ok(None),
        }
    };
    let greeting = async {
        match cx.can_sample() {
            true => Ok(Some(
                cx.sample(Sample::new(50).user("Greet me")).await?.text(),
            )),
            false => Ok(None),
        }
    };
    let roots = async {
        match cx.can_list_roots() {
            true => Ok(Some(uris(&cx.roots().await?))),
            false => Ok::<_, NoAnswer>(None),
        }
    };
    let (user, greeting, roots) = try_join!(user, greeting, roots)?;
    Ok(format!("{user:?}, {greeting:?}, {roots:?}"))
}

/// Repeats its argument in a header, by which proxies may route.
#[tool]
async fn test_custom_header(#[arg(header = "Value")] value: String) -> String {
    format!("The value is: {value}")
}

/// A schema with keywords that no type of Rust has, listed as it is.
const SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        }
    },
    "properties": {
        "name": { "type": "string" },
        "address": { "$ref": "#/$defs/address" },
        "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        "phone": { "type": "string" },
        "email": { "type": "string" }
    },
    "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
    "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
    "then": { "required": ["phone"] },
    "else": { "required": ["email"] },
    "additionalProperties": false
}"##;

/// A name and an e-mail address, please.
#[derive(Elicit)]
#[elicit(key = "response")]
struct Contact {
    username: String,
    #[elicit(format = "email")]
    email: String,
}

/// Asks with a message that the caller gives.
#[tool]
async fn test_elicitation(
    cx: &Cx,
    /** What to say to the user */
    message: String,
) -> Result<String, CallError> {
    let contact = cx.ask::<Contact>().message(message).await?;
    Ok(format!(
        "User response: {} <{}>",
        contact.username, contact.email
    ))
}

/// Please look at these values.
#[derive(Elicit)]
struct Defaults {
    #[elicit(default = "John Doe")]
    name: String,
    #[elicit(default = 30)]
    age: i32,
    #[elicit(default = 95.5)]
    score: f64,
    #[elicit(default = "active")]
    status: Status,
    #[elicit(default = true)]
    verified: bool,
}

#[derive(Choice, Debug)]
enum Status {
    Active,
    Inactive,
    Pending,
}

/// Asks with a default for each kind of field.
#[tool]
async fn test_elicitation_sep1034_defaults(cx: &Cx) -> Result<String, CallError> {
    let it = cx.ask::<Defaults>().await?;
    let (status, verified) = (it.status, it.verified);
    Ok(format!(
        "{}, {}, {}, {status:?}, {verified}",
        it.name, it.age, it.score
    ))
}

/// Please choose.
#[derive(Elicit)]
#[elicit(rename_all = "camelCase")]
struct Enums {
    untitled_single: Plain,
    titled_single: Titled,
    #[elicit(enum_names)]
    legacy_enum: Titled,
    untitled_multi: Vec<Plain>,
    titled_multi: Vec<Titled>,
}

#[derive(Choice, Debug)]
enum Plain {
    Option1,
    Option2,
    Option3,
}

#[derive(Choice, Debug)]
enum Titled {
    #[choice(title = "First Option")]
    Value1,
    #[choice(title = "Second Option")]
    Value2,
    #[choice(title = "Third Option")]
    Value3,
}

/// Asks with every form that a choice can have.
#[tool]
async fn test_elicitation_sep1330_enums(cx: &Cx) -> Result<String, CallError> {
    let it = cx.ask::<Enums>().await?;
    let single = (it.untitled_single, it.titled_single, it.legacy_enum);
    Ok(format!(
        "{single:?}, {:?}, {:?}",
        it.untitled_multi, it.titled_multi
    ))
}

/// Would close its stream and go on in another; this revision has no such streams.
#[tool]
async fn test_reconnection() -> &'static str {
    "Done."
}

async fn give_back(_: Cx, arguments: RawArguments) -> String {
    format!("The arguments are: {}", arguments.get())
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    let server = Server::new("everything", env!("CARGO_PKG_VERSION"))
        .tools(toolset![
            test_simple_text,
            test_error_handling,
            test_input_required_result_elicitation,
            test_input_required_result_request_state,
            test_input_required_result_tampered_state,
            test_input_required_result_multi_round,
            test_streaming_elicitation,
            test_tool_with_progress,
            test_tool_with_logging,
            test_logging_tool,
            test_trigger_tool_change,
            test_trigger_prompt_change,
            test_missing_capability,
            test_custom_header,
            test_sampling,
            test_input_required_result_sampling,
            test_input_required_result_list_roots,
            test_input_required_result_multiple_inputs,
            test_input_required_result_capabilities,
            test_elicitation,
            test_elicitation_sep1034_defaults,
            test_elicitation_sep1330_enums,
            test_reconnection,
            test_image_content,
            test_audio_content,
            test_embedded_resource,
            test_multiple_content_types,
            test_simple_prompt,
            test_prompt_with_arguments,
            test_prompt_with_embedded_resource,
            test_prompt_with_image,
            test_input_required_result_prompt,
            static_text,
            static_binary,
            watched_resource,
            template_data,
        ])
        .tools(Tool::raw(
            "json_schema_2020_12_tool",
            "Takes what a schema of the 2020-12 dialect describes.",
            SCHEMA,
            give_back,
        ))
        .auth(DevUsers)
        .limits(common::limits());
    if common::is_stdio() {
        return server.serve_stdio().await;
    }
    let app = server.build().await?;
    eprintln!("everything: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    app.serve(&address).await
}
