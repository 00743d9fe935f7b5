//! Faults of other servers and libraries, met in practice, that must not be possible here.
//!
//! They come in kinds, and each kind is a module: `a` to `v`. A test is named by its kind and the number of its
//! case, so `h_037` is C-037. Beside the input that was met, each kind has others of ours. What the compiler
//! refuses is shown by the cases of `ui`; the tests here look at what it says. Where we chose otherwise than
//! the case asks, `docs/decisions.md` says why.

mod a_options;
mod b_roots;
mod c_keywords;
mod d_choices;
mod e_types;
mod f_defaults;
mod g_labels;
mod h_answers;
mod i_outcomes;
mod j_capabilities;
mod k_consent;
mod l_patience;
mod m_machines;
mod n_envelope;
mod o_resuming;
mod p_states;
mod q_secrets;
mod r_links;
mod s_headers;
mod t_origins;
mod u_cancelling;
mod v_one_source;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_elicit::declare::{FormMode, NothingToGive};
use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

/// Cases about revisions 2025-06-18 and 2025-11-25 alone, in which the server sends requests of its own over a
/// session: a server that speaks 2026-07-28 has none of them.
const OF_OLDER_REVISIONS: [u8; 9] = [47, 54, 57, 59, 61, 95, 96, 99, 100];

/// The last case.
const LAST: u8 = 102;

/// Whether each case has its test, once.
#[test]
fn each_case_has_its_test() {
    let mut tests = BTreeMap::new();
    for file in fs::read_dir("cases").unwrap() {
        let path = file.unwrap().path();
        assert_eq!(path.extension().unwrap(), "rs");
        let kind = path.file_name().unwrap().to_str().unwrap()[..1].to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut is_test = false;
        for line in text.lines() {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            let Some((_, name)) = line.split_once("fn ").filter(|_| !line.starts_with(' ')) else {
                continue;
            };
            let number = name
                .strip_prefix(&*kind)
                .and_then(|it| it.strip_prefix('_'));
            let number = number.and_then(|it| it.get(..3)?.parse::<u8>().ok());
            if let Some(number) = number {
                assert!(is_test, "{name} is no test");
                let before = tests.insert(number, name.to_owned());
                assert_eq!(before, None, "C-{number:03} has two tests");
            }
            is_test = false;
        }
    }
    for number in 1..=LAST {
        let is_left_out = OF_OLDER_REVISIONS.contains(&number);
        let test = tests.get(&number);
        assert_eq!(test.is_none(), is_left_out, "C-{number:03}: {test:?}");
    }
}

/// Asks for a `T` and tells what it was given.
struct Asks<T> {
    passed: Arc<AtomicUsize>,
    of: PhantomData<fn() -> T>,
}

#[tools]
impl<T> Asks<T>
where
    T: FormMode + Debug + Send + 'static,
    T::Options: NothingToGive<T>,
{
    /// Asks.
    #[tool]
    async fn ask(&self, cx: &Cx) -> Result<String, CallError> {
        let answer = cx.ask::<T>().await?;
        self.passed.fetch_add(1, Ordering::SeqCst);
        Ok(format!("{answer:?}"))
    }
}

/// A server with one tool, which asks for a `T`; and alice.
struct Desk<T> {
    client: Client,
    passed: Arc<AtomicUsize>,
    of: PhantomData<fn() -> T>,
}

impl<T> Desk<T>
where
    T: FormMode + Debug + Send + 'static,
    T::Options: NothingToGive<T>,
{
    async fn open() -> Self {
        Self::with(Limits::default()).await
    }

    async fn with(limits: Limits) -> Self {
        let passed = Arc::default();
        let tools = Asks::<T> {
            passed: Arc::clone(&passed),
            of: PhantomData,
        };
        let app = server().limits(limits).tools(tools).build().await.unwrap();
        Self {
            client: Client::new(&app, "alice"),
            passed,
            of: PhantomData,
        }
    }

    /// The question.
    async fn ask(&self) -> Got {
        let got = self.client.call("ask", json!({})).await;
        assert!(got.asks(), "{}", got.text);
        got
    }

    /// Gives a whole answer, with its action, to the question of `got`.
    async fn reply(&self, got: &Got, answer: Value) -> Got {
        let answers = json!({ T::declaration().key(): answer });
        self.client
            .retry("ask", json!({}), &got.state(), answers)
            .await
    }

    /// Asks, and accepts with this content.
    async fn accept(&self, content: Value) -> Got {
        let got = self.ask().await;
        self.reply(&got, accept(content)).await
    }

    /// Asks, and accepts with this text for a content.
    async fn accept_text(&self, content: &str) -> Got {
        let one = self.ask().await;
        let params = json!({ "name": "ask", "arguments": {}, "requestState": one.state(),
            "inputResponses": { T::declaration().key(): accept(json!("CONTENT")) },
            "_meta": self.client.meta() });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let body = body.to_string().replace("\"CONTENT\"", content);
        self.client.raw("tools/call", Some("ask"), body).await
    }

    /// How often a handler was given an answer.
    fn passed(&self) -> usize {
        self.passed.load(Ordering::SeqCst)
    }

    /// It was asked again, with these words in the message, and nobody was given the answer.
    #[track_caller]
    fn asked_again(&self, got: &Got, words: &[&str]) {
        assert!(got.asks(), "{}", got.text);
        let message = got.asked(T::declaration().key())["message"].as_str();
        for word in words {
            assert!(message.unwrap().contains(word), "{word}: {}", got.text);
        }
        assert_eq!(self.passed(), 0, "{}", got.text);
    }
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

fn schema<T: Elicit>() -> Value {
    serde_json::from_str(T::declaration().schema()).unwrap()
}

fn property<T: Elicit>(name: &str) -> Value {
    let property = schema::<T>()["properties"][name].clone();
    assert!(property.is_object(), "{name}");
    property
}

/// What the compiler says to a case of `ui`: the error is at `token`, and has these words.
#[track_caller]
fn refused(case: &str, token: &str, words: &[&str]) {
    let said = fs::read_to_string(format!("ui/{case}.stderr")).expect(case);
    let code = fs::read_to_string(format!("ui/{case}.rs")).expect(case);
    let mut before = "";
    let mut marked = None;
    for line in said.lines() {
        let Some((_, marks)) = line.split_once("| ") else {
            continue;
        };
        if let Some(at) = marks.find('^')
            && !marks[..at].contains(|c: char| c.is_alphanumeric())
        {
            let end = at + marks[at..].bytes().take_while(|b| *b == b'^').count();
            marked = before.get(at..end);
            break;
        }
        before = marks;
    }
    assert_eq!(marked, Some(token), "{case}: {said}");
    assert!(code.contains(token), "{case}");
    for word in words {
        assert!(said.contains(word), "{case}: {word:?} is not in {said}");
    }
}

/// The objects, arrays and values of a value, and what leads there.
fn each(value: &Value, path: &str, see: &mut impl FnMut(&str, &Value)) {
    see(path, value);
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                each(inner, &format!("{path}/{name}"), see);
            }
        }
        Value::Array(items) => {
            for (at, inner) in items.iter().enumerate() {
                each(inner, &format!("{path}/{at}"), see);
            }
        }
        _ => {}
    }
}
