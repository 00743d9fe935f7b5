//! A tool that does what a program says, and a log of what happened in it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use mcp_elicit::ExposeSecret;
use mcp_elicit::prelude::*;

use super::program::{Op, Outcome, Take, Work, is_even, key, text};

/// A word?
#[derive(Elicit)]
struct Word {
    #[elicit(max_length = 12)]
    word: String,
}

/// An account?
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    /// From the dashboard
    #[secret]
    api_key: SecretString,
}

/// Something that happened while a request was answered.
#[derive(Debug, Clone)]
pub struct Event {
    /// The request, by the number that its client gives it.
    pub request: u32,
    /// The run, by the number of its call.
    pub call: u32,
    /// What it happened to.
    pub op: u8,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A question came back.
    Answered(Outcome),
    /// A step or effect came back.
    Returned(Result<String, String>),
    /// The work of a step or effect began; its idempotency key.
    Began(String),
    /// It went well, with this result.
    Did(String),
    Failed,
}

/// Does what the program of the day says.
#[derive(Clone, Default)]
pub struct Machine(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    program: Arc<Vec<Op>>,
    day: u32,
    log: Vec<Event>,
    results: u32,
    failures: HashMap<(u32, u8), u8>,
}

#[tools]
impl Machine {
    /// Runs the program.
    #[tool(asks(Account, Word))]
    async fn run(&self, cx: &Cx, call: u32) -> Result<String, CallError> {
        self.start(cx, call).await
    }

    /// Runs the program; each state may be used once.
    #[tool(single_use)]
    async fn strict(&self, cx: &Cx, call: u32) -> Result<String, CallError> {
        self.start(cx, call).await
    }
}

/// What an operation leaves: the latest answer, and what the program has to say.
struct Left {
    last: String,
    said: String,
}

type Going<'a> = Pin<Box<dyn Future<Output = Result<Left, CallError>> + Send + 'a>>;

/// One pass over a program.
struct Pass<'a> {
    machine: &'a Machine,
    cx: &'a Cx,
    request: u32,
    call: u32,
    day: u32,
}

impl Machine {
    pub fn load(&self, program: &[Op]) {
        let mut shared = self.0.lock().unwrap();
        shared.program = Arc::new(program.to_vec());
        shared.day = 0;
        shared.log.clear();
        shared.failures.clear();
    }

    pub fn day(&self) -> u32 {
        self.0.lock().unwrap().day
    }

    pub fn next_day(&self) {
        self.0.lock().unwrap().day += 1;
    }

    pub fn log(&self, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
        let shared = self.0.lock().unwrap();
        shared.log.iter().filter(|e| wanted(e)).cloned().collect()
    }

    async fn start(&self, cx: &Cx, call: u32) -> Result<String, CallError> {
        let (program, day) = {
            let shared = self.0.lock().unwrap();
            (Arc::clone(&shared.program), shared.day)
        };
        // The name of the client is no part of the request that a state is bound to.
        let request = cx.client().unwrap_or_default().parse()?;
        let pass = Pass {
            machine: self,
            cx,
            request,
            call,
            day,
        };
        Ok(pass.all(&program, String::new()).await?.said)
    }
}

impl<'a> Pass<'a> {
    fn log(&self, op: u8, what: What) {
        let (request, call) = (self.request, self.call);
        self.machine.0.lock().unwrap().log.push(Event {
            request,
            call,
            op,
            what,
        });
    }

    fn all<'b>(&'b self, ops: &'b [Op], last: String) -> Going<'b> {
        Box::pin(async move {
            let mut left = Left {
                last,
                said: String::new(),
            };
            for op in ops {
                self.one(op, &mut left).await?;
            }
            Ok(left)
        })
    }

    async fn one(&self, op: &Op, left: &mut Left) -> Result<(), CallError> {
        match op {
            Op::Ask { id, take, .. } => {
                let ask = self.word(op, &left.last);
                let result = match take {
                    Take::Plain | Take::Caught => ask.await.map(|w| Outcome::Accepted(w.word)),
                    Take::Optional => ask.optional().await.map(|w| of(w.map(|w| w.word))),
                    Take::Outcome => ask.outcome().await.map(|a| three(a, |w| w.word)),
                };
                left.last = self.answered(*id, *take, result, left)?;
            }
            Op::Confirm { id } => {
                let asked = self
                    .cx
                    .confirm(text(op, &left.last, self.day))
                    .key(key(op))
                    .await;
                let result = asked.map(|()| Outcome::Accepted("yes".into()));
                self.answered(*id, Take::Plain, result, left)?;
            }
            Op::Page { id, take } => {
                let ask = self.cx.ask::<Account>().named(format!("n{id}"));
                let ask = ask.message(text(op, &left.last, self.day));
                let result = match take {
                    Take::Plain | Take::Caught => ask.await.map(|a| Outcome::Accepted(number(a))),
                    Take::Optional => ask.optional().await.map(|a| of(a.map(number))),
                    Take::Outcome => ask.outcome().await.map(|a| three(a, number)),
                };
                self.answered(*id, *take, result, left)?;
            }
            Op::Drop { id } => {
                let mut ask = self.word(op, &left.last);
                let once = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut ask).poll(cx)));
                if let Poll::Ready(answer) = once.await {
                    let result = answer.map(|w| Outcome::Accepted(w.word));
                    self.answered(*id, Take::Caught, result, left)?;
                }
            }
            Op::Step { id, large, yields } => {
                let name = format!("s{id}");
                let step = self.cx.step(&name, async |s| {
                    self.log(*id, What::Began(s.key().to_owned()));
                    polls(*yields).await;
                    let result = self.result();
                    self.log(*id, What::Did(result.clone()));
                    let rest = if *large { 5_000 } else { 0 };
                    Ok(format!("{result}:{}", "l".repeat(rest)))
                });
                let result = step.await;
                self.returned(*id, result.map(before_colon), left)?;
            }
            Op::Once {
                id,
                work,
                fails,
                retry_after_crash,
                by,
            } => {
                let name = format!("o{id}");
                let mut once = self.cx.once(&name, async |s| {
                    self.log(*id, What::Began(s.key().to_owned()));
                    match work {
                        Work::Polls(n) => polls(*n).await,
                        Work::Seconds(n) => {
                            tokio::time::sleep(Duration::from_secs((*n).into())).await
                        }
                    }
                    if self.fails(*id, *fails) {
                        self.log(*id, What::Failed);
                        return Err("It did not work.".into());
                    }
                    let result = self.result();
                    self.log(*id, What::Did(result.clone()));
                    Ok(result)
                });
                if *retry_after_crash {
                    once = once.retry_after_crash();
                }
                if *by {
                    once = once.by("the one");
                }
                let result = once.await;
                self.returned(*id, result, left)?;
            }
            Op::Join(branches) => {
                let mut going: Vec<_> = branches
                    .iter()
                    .map(|b| self.all(b, left.last.clone()))
                    .collect();
                let mut done: Vec<Option<Left>> = branches.iter().map(|_| None).collect();
                std::future::poll_fn(|cx| {
                    for (branch, done) in going.iter_mut().zip(&mut done) {
                        if done.is_none()
                            && let Poll::Ready(result) = branch.as_mut().poll(cx)
                        {
                            *done = Some(result?);
                        }
                    }
                    if done.iter().all(Option::is_some) {
                        Poll::Ready(Ok::<_, CallError>(()))
                    } else {
                        Poll::Pending
                    }
                })
                .await?;
                let done: Vec<_> = done.into_iter().flatten().collect();
                done.iter().for_each(|d| left.said += &d.said);
                left.last = done.into_iter().map(|d| d.last).collect();
            }
            Op::If(then) => {
                if is_even(&left.last) {
                    let inner = self.all(then, left.last.clone()).await?;
                    left.said += &inner.said;
                    left.last = inner.last;
                }
            }
            Op::Yield => polls(1).await,
            Op::Wait => tokio::time::sleep(Duration::from_millis(5)).await,
            Op::Fail => return Err("This program fails.".into()),
            // A panic that nobody is told of.
            Op::Panic => std::panic::resume_unwind(Box::new("as it should")),
        }
        Ok(())
    }

    fn word(&self, op: &Op, last: &str) -> mcp_elicit::Ask<'a, Word> {
        let mut ask = self
            .cx
            .ask::<Word>()
            .key(key(op))
            .message(text(op, last, self.day));
        if let Op::Ask {
            attempts, about, ..
        } = op
        {
            if let Some(n) = attempts {
                ask = ask.attempts(*n);
            }
            if *about {
                ask = ask.about(last);
            }
        }
        ask
    }

    /// Notes what a question brought; returns its word if the program goes on.
    fn answered(
        &self,
        op: u8,
        take: Take,
        result: Result<Outcome, NoAnswer>,
        left: &mut Left,
    ) -> Result<String, CallError> {
        let outcome = match &result {
            Ok(outcome) => outcome.clone(),
            Err(NoAnswer::Declined) => Outcome::Declined,
            Err(NoAnswer::Cancelled) => Outcome::Cancelled,
            Err(_) => Outcome::Invalid,
        };
        self.log(op, What::Answered(outcome.clone()));
        if take != Take::Caught {
            result?;
        }
        left.said += &format!("{op}={};", outcome.word());
        Ok(outcome.word().to_owned())
    }

    fn returned(
        &self,
        op: u8,
        result: Result<String, CallError>,
        left: &mut Left,
    ) -> Result<(), CallError> {
        let told = |e: &CallError| e.told().unwrap_or("nothing that is told").to_owned();
        self.log(op, What::Returned(result.as_ref().cloned().map_err(told)));
        left.said += &format!("{op}={};", result?);
        Ok(())
    }

    /// A result that no other work has.
    fn result(&self) -> String {
        let mut shared = self.machine.0.lock().unwrap();
        shared.results += 1;
        shared.results.to_string()
    }

    fn fails(&self, op: u8, most: u8) -> bool {
        let mut shared = self.machine.0.lock().unwrap();
        let failures = shared.failures.entry((self.call, op)).or_default();
        *failures += 1;
        *failures <= most
    }
}

fn of(word: Option<String>) -> Outcome {
    word.map_or(Outcome::Declined, Outcome::Accepted)
}

fn three<T>(answer: Answer<T>, word: impl FnOnce(T) -> String) -> Outcome {
    match answer {
        Answer::Accepted(it) => Outcome::Accepted(word(it)),
        Answer::Declined => Outcome::Declined,
        Answer::Cancelled => Outcome::Cancelled,
    }
}

/// The number in a secret, which is none itself.
fn number(account: Account) -> String {
    let secret = account.api_key.expose_secret();
    secret.split('-').nth(1).unwrap_or("?").to_owned()
}

/// The result in the text that a step records.
fn before_colon(text: String) -> String {
    text.split(':').next().unwrap_or_default().to_owned()
}

/// Is pending some times, and wakes itself each time.
async fn polls(mut many: u8) {
    std::future::poll_fn(|cx| {
        if many == 0 {
            return Poll::Ready(());
        }
        many -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
