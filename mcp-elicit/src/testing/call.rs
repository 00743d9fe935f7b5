//! A call and the script of its answers.

use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{AnswerTo, ClientAnswer, Offers, Picked};
use super::app::TestApp;
use super::client::Method;
use super::fail::fail;
use super::line::{Act, Line};
use super::parked::{Parked, Start};
use super::play;
use super::run::Run;
use super::script::Script;
use crate::client::{Root, Roots, Sampled, Sampling};
use crate::declare::{Elicit, FormMode, Kind, PageMode};
use crate::runtime::InAsks;

/// A call of a tool, prompt or resource, with an answer for each question it will ask. From
/// [`TestUser::tool`](super::TestUser::tool) and its like.
///
/// Await it for what came of it. A line is for the first question of its type that has no answer
/// yet, whatever the order; [`at`](Self::at), [`named`](Self::named) and [`key`](Self::key) after a line make it one for that very
/// question, as they do after `cx.ask`. A question without a line fails the test, and so does a
/// line without a question.
///
/// ```should_panic
/// # use mcp_elicit::prelude::*;
/// # use mcp_elicit::testing::*;
/// # /// Says yes.
/// # #[tool]
/// # async fn agree(cx: &Cx) -> Result<String, CallError> {
/// #     cx.confirm("Agree?").await?;
/// #     Ok("agreed".to_owned())
/// # }
/// # fn server() -> Server {
/// #     Server::new("terms", "1").tools(toolset![agree])
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let app = TestApp::new(server()).await;
/// let _ = app.user("ada").tool("agree").await; // panics: no line for `confirm`
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a call is made when it is awaited"]
pub struct TestCall {
    pub(super) app: TestApp,
    pub(super) user: String,
    pub(super) method: Method,
    /// The name of a tool or prompt, or the URI of a resource.
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) capabilities: Value,
    pub(super) script: Script,
    pub(super) twice: bool,
    pub(super) live: bool,
    pub(super) start: Option<Start>,
    pub(super) at: &'static Location<'static>,
}

impl TestCall {
    #[track_caller]
    pub(super) fn new(app: TestApp, user: &str, method: Method, tool: &str) -> Self {
        Self {
            app,
            user: user.to_owned(),
            method,
            tool: tool.to_owned(),
            arguments: json!({}),
            capabilities: json!({
                "elicitation": { "form": {}, "url": {} },
                "sampling": { "tools": {} },
                "roots": {},
            }),
            script: Script::default(),
            twice: true,
            live: false,
            start: None,
            at: Location::caller(),
        }
    }

    /// The arguments: `json!({..})`, or a value that is an object as JSON.
    #[track_caller]
    pub fn args(mut self, arguments: impl Serialize) -> Self {
        match serde_json::to_value(arguments) {
            Ok(arguments) => self.arguments = arguments,
            Err(error) => fail(&format!("the arguments are no JSON: {error}")),
        }
        self
    }

    /// What the client says that it can do, such as `json!({ "elicitation": { "form": {} } })` for
    /// one that opens no links.
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Answers a form: with a value of its type, or `.accept::<Seat>(json!({..}))`.
    #[track_caller]
    pub fn accept<T: FormMode>(self, answer: impl AnswerTo<T>) -> Self {
        let content = answer.into_json();
        let act = Act::Accept {
            content,
            picks: Vec::new(),
        };
        self.of::<T>(act, "accept", "..")
    }

    /// Answers the `index`-th of some forms in a loop: `.accept(answer).at(index)`.
    #[track_caller]
    pub fn accept_at<T: FormMode>(self, index: usize, answer: impl AnswerTo<T>) -> Self {
        self.accept::<T>(answer).at(index)
    }

    /// Chooses of the offers for a field when they are known: `|offers| offers.titled("core")`. Right
    /// after an `accept` or `pick` of the same type it adds to that answer, unless that says
    /// something for the field already.
    #[track_caller]
    pub fn pick<T: FormMode>(
        mut self,
        field: &str,
        choose: impl Fn(&Offers) -> Picked + Send + Sync + 'static,
    ) -> Self {
        let mut fields = T::declaration().table().fields.iter();
        let field_of_form = fields.find(|it| it.name == field);
        let takes_several = field_of_form.is_some_and(|it| matches!(it.kind, Kind::Several { .. }));
        let choose = Arc::new(move |offers: &Offers| {
            let Picked(mut chosen) = choose(offers);
            match chosen.pop() {
                Some(one) if !takes_several && chosen.is_empty() => Value::from(one),
                last => chosen.into_iter().chain(last).collect(),
            }
        });
        let key = T::declaration().key();
        if let Some(line) = self.script.0.last_mut()
            && line.key == key
            && let Act::Accept { content, picks } = &mut line.act
            && content.get(field).is_none()
            && picks.iter().all(|(other, _)| other != field)
        {
            picks.push((field.to_owned(), choose));
            return self;
        }
        let act = Act::Accept {
            content: Value::Object(Map::new()),
            picks: vec![(field.to_owned(), choose)],
        };
        self.of::<T>(act, "pick", &format!("{field:?}, .."))
    }

    /// Opens the page, signs in as the user, types the answer and saves it.
    #[track_caller]
    pub fn fill<T: PageMode>(self, answer: impl AnswerTo<T>) -> Self {
        let act = Act::Fill(answer.into_json());
        self.of::<T>(act, "fill", "..")
    }

    /// Agrees to open the page, and does not finish it.
    #[track_caller]
    pub fn consent<T: PageMode>(self) -> Self {
        self.of::<T>(Act::Consent, "consent", "")
    }

    /// Answers what `cx.confirm` asks.
    #[track_caller]
    pub fn confirm(mut self, yes: bool) -> Self {
        let act = Act::Accept {
            content: json!({ "confirm": yes }),
            picks: Vec::new(),
        };
        let written = format!(".confirm({yes})");
        let line = Line::new(act, written, "confirm", Location::caller());
        self.script.0.push(line);
        self
    }

    /// Answers what `cx.sample` asks: with a [`Sampled`], or JSON for what none can be.
    ///
    /// ```
    /// # use mcp_elicit::client::{Sample, Sampled};
    /// # use mcp_elicit::prelude::*;
    /// # use mcp_elicit::testing::*;
    /// # /// Names a capital.
    /// # #[tool]
    /// # #[expect(deprecated)]
    /// # async fn capital(cx: &Cx, country: String) -> Result<String, CallError> {
    /// #     Ok(cx.sample(Sample::new(10).user(format!("The capital of {country}?"))).await?.text())
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// # let app = TestApp::new(Server::new("capitals", "1").tools(toolset![capital])).await;
    /// let call = app.user("ada").tool("capital").args(serde_json::json!({ "country": "France" }));
    /// let run = call.sampled(Sampled::new("test-model", "Paris")).await;
    /// assert_eq!(run.text(), "Paris");
    /// assert_eq!(run.asked()[0].message(), "The capital of France?");
    /// # }
    /// ```
    #[track_caller]
    pub fn sampled(self, answer: impl ClientAnswer<Sampled>) -> Self {
        self.given("sampled", Sampling::need().key(), answer.into_json())
    }

    /// Answers what `cx.roots` asks: with a list of [`Root`]s, or JSON for what none can be.
    #[track_caller]
    pub fn roots(self, answer: impl ClientAnswer<Vec<Root>>) -> Self {
        self.given("roots", Roots::need().key(), answer.into_json())
    }

    /// Says no.
    #[track_caller]
    pub fn decline<T: Elicit>(self) -> Self {
        self.of::<T>(Act::Decline, "decline", "")
    }

    /// Closes the question.
    #[track_caller]
    pub fn cancel<T: Elicit>(self) -> Self {
        self.of::<T>(Act::Cancel, "cancel", "")
    }

    /// Leaves the question unanswered in this round; it will be asked again. `.skip::<Sampling>()` and
    /// `.skip::<Roots>()` are for what is asked of the client itself.
    #[track_caller]
    pub fn skip<T: InAsks>(self) -> Self {
        self.of::<T>(Act::Skip, "skip", "")
    }

    /// The line before is for the `index`-th question of a loop.
    #[track_caller]
    pub fn at(self, index: usize) -> Self {
        self.exactly(|key| format!("{key}.{index}"))
    }

    /// The line before is for the question of this name.
    #[track_caller]
    pub fn named(self, name: &str) -> Self {
        self.exactly(|key| format!("{key}.{name}"))
    }

    /// The line before is for the question with this key.
    #[track_caller]
    pub fn key(self, key: &str) -> Self {
        self.exactly(|_| key.to_owned())
    }

    /// Runs each round once. Otherwise each round of a run that asks something is done twice, the
    /// second time with what is known after the first, as the next round would do it; and the test
    /// fails if the handler then asks or does something else.
    pub fn once_per_round(mut self) -> Self {
        self.twice = false;
        self
    }

    /// Asks over a live connection while the request waits, as older revisions of the protocol do,
    /// instead of sealing the run into each reply. A script comes to the same end both ways.
    pub fn live(mut self) -> Self {
        self.live = true;
        self
    }

    /// The same call, made by another user.
    pub fn as_user(mut self, name: &str) -> Self {
        name.clone_into(&mut self.user);
        self
    }

    /// The same call, made to another server.
    pub fn on(mut self, app: &TestApp) -> Self {
        self.app = app.clone();
        self
    }

    /// Stops when a `T` is asked, with what the client then holds.
    pub fn until<T: InAsks>(self) -> Until {
        Until {
            key: T::need().key().to_owned(),
            exact: false,
            call: self,
        }
    }

    /// Stops when `cx.confirm` asks.
    pub fn until_confirm(self) -> Until {
        Until {
            key: "confirm".to_owned(),
            exact: false,
            call: self,
        }
    }

    #[track_caller]
    fn given(mut self, verb: &str, key: &str, answer: Value) -> Self {
        let written = format!(".{verb}(..)");
        let line = Line::new(Act::Give(answer), written, key, Location::caller());
        self.script.0.push(line);
        self
    }

    #[track_caller]
    fn of<T: InAsks>(mut self, act: Act, verb: &str, given: &str) -> Self {
        let name = std::any::type_name::<T>();
        let name = name.rsplit("::").next().unwrap_or(name);
        let written = format!(".{verb}::<{name}>({given})");
        let line = Line::new(act, written, T::need().key(), Location::caller());
        self.script.0.push(line);
        self
    }

    #[track_caller]
    fn exactly(mut self, key: impl FnOnce(&str) -> String) -> Self {
        let Some(line) = self.script.0.last_mut() else {
            fail("`.at`, `.named` and `.key` stand after the line that they are for");
        };
        line.key = key(&line.key);
        line.exact = true;
        self
    }
}

impl IntoFuture for TestCall {
    type Output = Run;
    type IntoFuture = Pin<Box<dyn Future<Output = Run> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(play::to_the_end(self))
    }
}

impl fmt::Debug for TestCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCall")
            .field("tool", &self.tool)
            .field("user", &self.user)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

/// A call that stops at a question. From [`TestCall::until`].
#[derive(Debug, Clone)]
#[must_use = "a call is made when it is awaited"]
pub struct Until {
    pub(super) call: TestCall,
    pub(super) key: String,
    pub(super) exact: bool,
}

impl Until {
    /// At the `index`-th question of a loop.
    pub fn at(self, index: usize) -> Self {
        let key = format!("{}.{index}", self.key);
        self.key(&key)
    }

    /// At the question with this key.
    pub fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self.exact = true;
        self
    }
}

impl IntoFuture for Until {
    type Output = Parked;
    type IntoFuture = Pin<Box<dyn Future<Output = Parked> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(play::until(self))
    }
}
