//! What fuzzers feed to a server, and what must hold whatever they feed. Each function takes any
//! bytes and panics if something does not hold; a test feeds them the corpus that is kept.
#![allow(dead_code, reason = "what is asked is not read")]

use std::cell::RefCell;
use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use mcp_elicit::prelude::*;
use mcp_elicit::{__private, App};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{Client, Got, send, server};

/// What takes the bytes.
pub type Target = fn(&[u8]);

/// Every target, with its name, which is that of its corpus.
pub const TARGETS: [(&str, Target); 4] = [
    ("state", state),
    ("answers", answers),
    ("envelope", envelope),
    ("payload", payload),
];

/// Everything a form can have.
#[derive(Elicit)]
struct Everything {
    #[elicit(min_length = 1, max_length = 20)]
    name: String,
    #[elicit(format = "email")]
    email: Option<String>,
    #[elicit(format = "uri")]
    site: Option<String>,
    link: Option<url::Url>,
    #[elicit(min = 1, max = 40)]
    seats: u8,
    total: Option<i64>,
    rate: Option<f64>,
    #[elicit(default = true)]
    window: bool,
    plan: Option<Plan>,
    #[elicit(max_items = 2)]
    plans: Option<Vec<Plan>>,
    set: Option<BTreeSet<Plan>>,
    starts: Option<jiff::civil::Date>,
    ends: Option<chrono::NaiveDate>,
    at: Option<jiff::Timestamp>,
}

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plan {
    Free,
    #[choice(title = "Pro, everything")]
    Pro,
}

/// Which one?
#[derive(Elicit)]
struct Pick {
    #[select]
    one: Select<u32>,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
}

fn list() -> Vec<(u32, String)> {
    vec![(1, "one".to_owned()), (2, "two".to_owned())]
}

/// Asks all there is to ask.
#[tool]
async fn ask(cx: &Cx) -> Result<String, CallError> {
    let listed: Vec<(u32, String)> = cx.step("list", async |_| Ok(list())).await?;
    let all = cx.ask::<Everything>().await?;
    // What another build has recorded may have a choice twice, which would be the author's fault.
    let pick = cx
        .ask_with::<Pick>(PickOptions { one: list().into() })
        .optional();
    let (pick, ()) = tokio::try_join!(async { Ok::<_, CallError>(pick.await?) }, async {
        Ok(cx.confirm(format!("Go on with {}?", all.seats)).await?)
    })?;
    let done: u32 = cx.once("effect", async |_| Ok(7)).await?;
    let account = cx.ask::<Account>().optional().await?.is_some();
    Ok(format!(
        "confirmed {done} {account} {} {}",
        pick.is_some(),
        listed.len()
    ))
}

/// Takes arguments of many kinds.
#[tool]
async fn take(
    text: String,
    small: Option<i8>,
    many: Option<Vec<u64>>,
    rate: Option<f64>,
    yes: Option<bool>,
) -> String {
    format!("{} {small:?} {many:?} {rate:?} {yes:?}", text.len())
}

/// A prompt that asks.
#[prompt]
async fn greet(cx: &Cx, whom: String, how: Option<String>) -> Result<String, CallError> {
    let pick = cx.ask_with::<Pick>(PickOptions {
        one: vec![(1, "one".to_owned())].into(),
    });
    let one = pick.await?.one;
    Ok(format!("{whom} {how:?} {}", one.key()))
}

/// A text by its name.
#[resource("fuzz://texts/{name}/{part}", mime = "text/plain")]
async fn text(cx: &Cx, name: String, part: u8) -> Result<String, CallError> {
    cx.confirm(format!("Show {name}?")).await?;
    Ok(format!("{name} {part}"))
}

/// A server, and the states that it gave.
struct Bench {
    runtime: Runtime,
    app: App,
    router: Router,
    client: Client,
    states: Vec<String>,
    left: u32,
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

impl Bench {
    fn new() -> Self {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let server = server().tools(mcp_elicit::toolset![ask, take, greet, text]);
        let app = runtime
            .block_on(server.build())
            .expect("the server is sound");
        let mut bench = Self {
            router: app.router(),
            client: Client::new(&app, "alice"),
            app,
            runtime,
            states: Vec::new(),
            left: 1000,
        };
        // One for each of the rounds of `ask`.
        for answers in [
            json!(null),
            json!({ "everything": { "action": "accept", "content": { "name": "a", "seats": 3 } } }),
            json!({
                "pick": { "action": "accept", "content": { "one": "2" } },
                "confirm": { "action": "accept", "content": { "confirm": true } }
            }),
        ] {
            let state = bench.states.last().cloned();
            let got = bench.send(&bench.call(state.as_deref(), &answers.to_string()));
            assert!(got.asks(), "{}", got.text);
            bench.states.push(got.state());
        }
        bench
    }

    /// A call of `ask`; `answers` are written as they are.
    fn call(&self, state: Option<&str>, answers: &str) -> Vec<u8> {
        self.bytes(state, answers.as_bytes())
    }

    fn bytes(&self, state: Option<&str>, answers: &[u8]) -> Vec<u8> {
        let before = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"ask","_meta":{},"requestState":{},"inputResponses":"#,
            self.client.meta(),
            json!(state)
        );
        [before.as_bytes(), answers, b"}}"].concat()
    }

    fn payloads(&self) -> Vec<Vec<u8>> {
        let open = |state: &String| __private::test::open(&self.app, "alice", "ask", "{}", state);
        self.states.iter().filter_map(open).collect()
    }

    fn send(&self, body: &[u8]) -> Got {
        self.send_as("tools/call", Some("ask"), body)
    }

    fn send_as(&self, method: &str, name: Option<&str>, body: &[u8]) -> Got {
        let request = self.client.build(method, name);
        let request = request
            .body(Body::from(body.to_vec()))
            .expect("headers are sound");
        let got = self.runtime.block_on(send(&self.router, request));
        answered(&got);
        got
    }
}

/// Lets `work` use a server, a new one now and then: nothing of it shall grow for ever.
fn with(work: impl FnOnce(&Bench)) {
    BENCH.with_borrow_mut(|slot| {
        let mut bench = match slot.take() {
            Some(bench) if bench.left > 0 => bench,
            _ => Bench::new(),
        };
        bench.left -= 1;
        work(&bench);
        *slot = Some(bench);
    });
}

/// What holds of every reply: it is one of the protocol, and no fault of the server's own.
fn answered(got: &Got) {
    let status = got.status.as_u16();
    if status == 202 && got.text.is_empty() {
        return;
    }
    assert!(
        got.text.len() < 64 * 1024,
        "a reply of {} bytes",
        got.text.len()
    );
    assert_eq!(got.json["jsonrpc"], "2.0", "{}", got.text);
    assert!(got.json.get("id") != Some(&Value::Null), "{}", got.text);
    let result = &got.json["result"];
    match got.code() {
        0 => {
            assert_eq!(status, 200, "{}", got.text);
            let kind = result["resultType"].as_str();
            assert!(
                matches!(kind, Some("complete" | "input_required")),
                "{}",
                got.text
            );
            assert!(
                !got.first_text().starts_with("Internal error"),
                "{}",
                got.text
            );
        }
        -32602 => assert!(matches!(status, 200 | 400), "{}", got.text),
        // What a prompt or resource tells, which has no `isError`; never a panic that was caught.
        -32603 => {
            let text = got.json["error"]["message"].as_str().unwrap_or_default();
            let internal = text.starts_with("Internal error");
            assert!(status == 200 && !internal, "{}", got.text);
        }
        -32601 => assert_eq!(status, 404, "{}", got.text),
        -32700 | -32600 | -32020 | -32021 | -32022 => assert_eq!(status, 400, "{}", got.text),
        code => panic!("error {code}: {}", got.text),
    }
}

/// Any text as a state: refused, unless it is one that was given.
pub fn state(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    with(|bench| {
        let got = bench.send(&bench.call(Some(text), "{}"));
        if !bench.states.iter().any(|state| state == text) {
            let error = json!({ "code": -32602, "message": "requestState is invalid or expired" });
            assert_eq!(got.json["error"], error, "{text:?}");
        }
    });
}

/// Any bytes as answers, to the round that the first of them names.
pub fn answers(input: &[u8]) {
    let Some((round, answers)) = input.split_first() else {
        return;
    };
    with(|bench| {
        let state = bench.states.get(usize::from(round % 4)).map(String::as_str);
        let got = bench.send(&bench.bytes(state, answers));
        let given = serde_json::from_slice::<Value>(answers).ok();
        let Some(given) = given.filter(Value::is_object) else {
            return;
        };
        // Nothing but a yes to the question passes.
        if round % 4 < 2
            && (got.first_text().starts_with("confirmed") || !got.link("account").is_empty())
        {
            let yes = &given["confirm"];
            let said = yes["action"] == "accept" && yes["content"]["confirm"] == true;
            assert!(said && round % 4 == 1, "{given}: {}", got.text);
        }
    });
}

/// Any bytes as a whole message; its headers say what it says, as far as it can be read.
pub fn envelope(input: &[u8]) {
    let read = serde_json::from_slice::<Value>(input).unwrap_or_default();
    let header = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        let visible = text.bytes().all(|b| (0x21..0x7f).contains(&b));
        (visible && !text.is_empty()).then(|| text.to_owned())
    };
    let method = header(&read["method"]).unwrap_or_else(|| "tools/call".into());
    let name = header(&read["params"]["name"]).or_else(|| header(&read["params"]["uri"]));
    with(|bench| drop(bench.send_as(&method, name.as_deref(), input)));
}

/// What another build might have put under the seal. The first byte chooses a payload that this
/// build has made, and four bytes each are one change of it; or the rest is a payload itself.
pub fn payload(input: &[u8]) {
    let Some((base, rest)) = input.split_first() else {
        return;
    };
    with(|bench| match bench.payloads().get(usize::from(*base)) {
        Some(base) => under_seal(bench, &changed(base, rest)),
        None => under_seal(bench, rest),
    });
}

fn changed(base: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for change in changes.chunks_exact(4) {
        let &[what, high, low, value] = change else {
            continue;
        };
        let at = usize::from(u16::from_be_bytes([high, low])) % (bytes.len() + 1);
        match (what % 3, bytes.get_mut(at)) {
            (0, Some(byte)) => *byte = value,
            (1, Some(_)) => drop(bytes.remove(at)),
            _ => bytes.insert(at, value),
        }
    }
    bytes
}

/// Sends a state with this payload, with all kinds of answers.
fn under_seal(bench: &Bench, payload: &[u8]) {
    // What is larger may not fit into the next state, which is an error of its own.
    if payload.len() > 16 * 1024 {
        return;
    }
    let sealed = __private::test::seal(&bench.app, "alice", "ask", "{}", payload);
    let state = sealed.expect("the tool is there");
    for answers in [
        "{}",
        r#"{"everything":{"action":"accept","content":{"name":"a","seats":3}}}"#,
        r#"{"pick":{"action":"accept","content":{"one":"2"}},"confirm":{"action":"accept","content":{"confirm":true}}}"#,
        r#"{"everything":{"action":"decline"},"pick":{"action":"cancel"},"account":{"action":"accept"}}"#,
    ] {
        bench.send(&bench.call(Some(&state), answers));
    }
}

/// Any bytes under the seal.
pub fn sealed(payload: &[u8]) {
    with(|bench| under_seal(bench, payload));
}

/// The payloads of the states that `ask` gives.
pub fn payloads() -> Vec<Vec<u8>> {
    Bench::new().payloads()
}
